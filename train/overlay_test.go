package train_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/fsck"
	"tiro/internal/effort"
	"tiro/train"
)

// TestTortureImageLayer: a run in the image of a container, whose folders cannot be renamed,
// continues with the same bytes, even after a kill or power cut at any operation during or after
// the removal of a checkpoint.
func TestTortureImageLayer(t *testing.T) {
	want, _ := uninterrupted(t, crashOptions)
	lower := func() *disktest.Memory {
		fsys := disktest.New()
		o := crashOptions(fsys)
		o.Generations = 2
		run(t, o)
		fsys.Layer()
		return fsys
	}
	requireResumes(t, lower(), want)
	for k := 0; ; k += effort.Of(5, 3, 1) {
		fsys := lower()
		since := 0 // operations since the first one on the checkpoint
		fsys.Hook = func(op disktest.Op) disktest.Verdict {
			if since > 0 || op.Kind == disktest.Rename && op.To == op.Path+disk.Unfinished {
				since++
			}
			if since > k {
				return stopBefore
			}
			return disktest.Verdict{}
		}
		err := train.Run(context.Background(), crashOptions(fsys))
		if err == nil {
			break
		}
		require.ErrorIs(t, err, disktest.ErrCrashed)
		for name, left := range map[string]*disktest.Memory{"killed": fsys.Kill(), "power cut": fsys.Crash(env.NewRand(uint64(k)))} {
			t.Run(fmt.Sprint(name, " at ", k), func(t *testing.T) {
				r, err := fsck.Verify(context.Background(), fsck.Options{Path: "run", Find: findGame, Disk: left})
				require.NoError(t, err)
				require.Empty(t, bad(r))
				requireResumes(t, left, want)
			})
		}
	}
}

// TestRepairImageLayer: a damaged checkpoint is moved away there too.
func TestRepairImageLayer(t *testing.T) {
	want, _ := uninterrupted(t, crashOptions)
	fsys := disktest.New()
	o := crashOptions(fsys)
	o.Generations = 2
	run(t, o)
	file, err := fsys.Append("run/checkpoints/000002/state.json")
	require.NoError(t, err)
	_, err = file.Write([]byte("more"))
	require.NoError(t, errors.Join(err, file.Close()))
	damaged := filesOf(t, fsys, "run/checkpoints/000002")
	fsys.Layer()
	r, err := fsck.Repair(context.Background(), fsck.Options{Path: "run", Find: findGame, Disk: fsys})
	require.NoError(t, err)
	require.Len(t, bad(r), 1)
	aside := filesOf(t, fsys, "run/damaged/checkpoints/000002")
	require.Len(t, aside, len(damaged))
	run(t, crashOptions(fsys))
	got := filesOf(t, fsys, "run")
	for name := range want {
		require.True(t, got[name] == want[name], "%s differs", name)
	}
}
