package train_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/fsck"
	"tiro/train"
)

// TestUnreadableParts: unreadable files are not reported as damaged. As long as files are
// unreadable, nothing is planned or moved, and a run refuses to start.
func TestUnreadableParts(t *testing.T) {
	o := lasting(t.TempDir(), 3)
	run(t, o)
	f := folder{t, o.Dir}
	f.cut("checkpoints/000002/state.json", 10) // additionally damaged
	before := tree(t, o.Dir)
	tests := []struct {
		name string
		op   disktest.Kind
		path string // the unreadable path
		err  error
		part string
	}{
		{"games, permissions", disktest.Open, "episodes/000003.jsonl.zst", syscall.EACCES, "episodes/000003.jsonl.zst"},
		{"games, bad sector", disktest.Read, "episodes/000003.jsonl.zst", syscall.EIO, "episodes/000003.jsonl.zst"},
		{"checkpoint, permissions", disktest.Open, "checkpoints/000003/weights.safetensors", syscall.EACCES, "checkpoints/000003"},
		{"checkpoint, bad sector", disktest.Read, "checkpoints/000003/state.json", syscall.EIO, "checkpoints/000003"},
		{"checkpoint, folder", disktest.Stat, "checkpoints/000003/info.json", syscall.EACCES, "checkpoints/000003"},
		{"all checkpoints", disktest.ReadDir, "checkpoints", syscall.EACCES, "checkpoints"},
		{"metrics", disktest.Open, "metrics.jsonl", syscall.EACCES, "metrics.jsonl"},
		{"configuration", disktest.Open, "config.yaml", syscall.EACCES, "config.yaml"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys := disktest.Over(disk.OS{}, func(op disktest.Op) disktest.Verdict {
				if op.Kind == test.op && op.Path == filepath.Join(o.Dir, test.path) {
					return disktest.Verdict{Do: disktest.None, Err: test.err}
				}
				return disktest.Verdict{}
			})
			v := fsck.Options{Path: o.Dir, Find: findGame, Disk: fsys}
			for _, look := range []func(context.Context, fsck.Options) (fsck.Report, error){fsck.Verify, fsck.Repair} {
				r, err := look(context.Background(), v)
				require.NoError(t, err)
				require.False(t, r.OK())
				require.False(t, r.Checked())
				require.Equal(t, -1, r.Checkpoint)
				require.Equal(t, fsck.Unchecked, statuses(r)[test.part], "%q", bad(r))
				for _, p := range r.Parts {
					require.Empty(t, p.MovedTo)
					if p.Path == test.part {
						require.Contains(t, p.Detail, test.err.Error())
					}
				}
				require.Equal(t, before, tree(t, o.Dir))
			}
			again := lasting(o.Dir, 4)
			again.Disk = fsys
			err := train.Run(context.Background(), again)
			require.ErrorIs(t, err, test.err)
			require.False(t, strings.Contains(err.Error(), "damaged"), "%v", err)
			require.Equal(t, before, tree(t, o.Dir))
		})
	}
}
