package cluster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tiro/cluster"
	"tiro/train"
)

// TestFullDisk: while the disk of the embedded server is full, the trainer says so and
// tries again; with room again, the run goes on and is as if nothing had been.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		require.NotEqual(t, "true", os.Getenv("CI"), "root is needed")
		t.Skip("NOT TESTED: a full disk of the server; root is needed")
	}
	store := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", store).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			require.NoError(t, err, "%s", out)
		}
		t.Skipf("NOT TESTED: a full disk of the server; root may not mount here: %s", out)
	}
	t.Cleanup(func() { _ = unix.Unmount(store, unix.MNT_DETACH) })
	large := func(dir string) train.Options {
		o := training(t, dir, 4)
		o.Config.Net.Channels, o.Config.Net.Blocks = 40, 3 // half a megabyte
		return o
	}
	want := calm(t, large(t.TempDir()))
	f := start(t, large(t.TempDir()), func(o *cluster.Options) { o.Store = filepath.Join(store, "s") })
	worker := f.worker("w", nil)
	worker.wait(t, "played generation=1")
	file, err := os.Create(filepath.Join(store, "fill"))
	require.NoError(t, err)
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoError(t, file.Close())
	f.notes.wait(t, "the server does not do what is asked; trying again")
	f.notes.wait(t, "space")
	require.NoError(t, os.Remove(filepath.Join(store, "fill")))
	select {
	case err := <-f.done:
		require.NoError(t, err)
	case <-time.After(2 * time.Minute):
		require.Fail(t, "the run does not end")
	}
	requireSame(t, want, f.dir)
}
