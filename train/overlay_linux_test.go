package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/fsck"
	"tiro/train"
)

// TestOverlay: a run in the lower layer of a real overlay file system continues with the same
// bytes, also after a damaged checkpoint was moved away.
func TestOverlay(t *testing.T) {
	base := t.TempDir()
	mount := func(source, target, kind, data string) {
		err := syscall.Mount(source, target, kind, 0, data)
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENODEV) {
			t.Skip("THIS TEST NEEDS TO MOUNT an overlay file system: ", err)
		}
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, syscall.Unmount(target, 0)) })
	}
	mount("tmpfs", base, "tmpfs", "") // an overlay's upper layer may not be on another overlay
	path := func(name string) string { return filepath.Join(base, name) }
	for _, name := range []string{"lower", "upper", "work", "merged"} {
		require.NoError(t, os.Mkdir(path(name), 0o777))
	}
	unbroken, lower := lasting(path("unbroken"), 8), lasting(path("lower/run"), 6)
	run(t, unbroken)
	run(t, lower)
	want := contents(t, unbroken.Dir)
	mount("overlay", path("merged"), "overlay", "lowerdir="+path("lower")+",upperdir="+path("upper")+",workdir="+path("work"))
	dir := path("merged/run")
	require.ErrorIs(t, os.Rename(filepath.Join(dir, "checkpoints"), path("merged/x")), syscall.EXDEV)

	folder{t, dir}.flip(newest + "weights.safetensors")
	r, err := fsck.Repair(context.Background(), fsck.Options{Path: dir, Find: findGame})
	require.NoError(t, err)
	require.Len(t, bad(r), 1)
	require.DirExists(t, filepath.Join(dir, "damaged", "checkpoints", "000006"))
	require.NoError(t, train.Run(context.Background(), lasting(dir, 8)))
	requireSameFiles(t, want, notAside(t, dir), false)
}
