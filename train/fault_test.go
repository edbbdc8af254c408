package train_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/models"
	"tiro/rundir"
	"tiro/train"
)

// at returns a condition for operations of a kind on paths that end in suffix.
func at(kind disktest.Kind, suffix string) func(disktest.Op) bool {
	return func(op disktest.Op) bool { return op.Kind == kind && strings.HasSuffix(op.Path, suffix) }
}

// requireResumes resumes a run to its end and compares it with want.
func requireResumes(t *testing.T, fsys *disktest.Memory, want map[string]string) {
	t.Helper()
	run(t, crashOptions(fsys))
	require.Empty(t, differences(want, filesOf(t, fsys, "run")))
}

// TestFaults: an error names the failed operation, the file and an intact checkpoint. Without the
// fault the run then ends with the same bytes.
func TestFaults(t *testing.T) {
	forbidden := disktest.Verdict{Do: disktest.None, Err: fs.ErrPermission}
	noLocks := disktest.Verdict{Do: disktest.None, Err: syscall.ENOLCK}
	const checkpoints = "run/checkpoints/"
	tests := []struct {
		name    string
		before  int // generations of the run before the fault
		strikes disktest.Kind
		path    string
		verdict disktest.Verdict
		intact  int // the checkpoint that the error calls intact; -1 if none
	}{
		{"full disk at the first checkpoint", 0, disktest.Write, checkpoints + "000000.unfinished/weights.safetensors", diskFull, -1},
		{"full disk at a checkpoint", 0, disktest.Write, checkpoints + "000002.unfinished/optimizer.safetensors", diskFull, 1},
		{"full disk at a game", 0, disktest.Write, "run/episodes/000002.part", diskFull, 1},
		{"full disk at the metrics", 0, disktest.Write, "run/metrics.jsonl", diskFull, 1},
		{"short write", 0, disktest.Write, "run/episodes/000002.jsonl.zst.unfinished", disktest.Verdict{Do: disktest.Half}, 1},
		{"full disk at the configuration", 0, disktest.Write, "run/config.yaml.unfinished", diskFull, -1},
		{"read-only folder", 1, disktest.Lock, "run/lock", readOnlyDisk, -1},
		{"games cannot be flushed", 0, disktest.Sync, "run/episodes/000002.part", ioError, 1},
		{"weights cannot be flushed", 0, disktest.Sync, checkpoints + "000002.unfinished/weights.safetensors", ioError, 1},
		{"a checkpoint's name cannot be flushed", 1, disktest.SyncDir, "run/checkpoints", ioError, -1},
		{"metrics cannot be flushed", 0, disktest.Sync, "run/metrics.jsonl", ioError, 1},
		{"a checkpoint cannot be read", 1, disktest.Read, checkpoints + "000001/weights.safetensors", ioError, -1},
		{"games cannot be read", 1, disktest.Read, "run/episodes/000001.jsonl.zst", ioError, 1},
		{"unreadable configuration", 1, disktest.Open, "run/config.yaml", forbidden, -1},
		{"unreadable folder", 1, disktest.ReadDir, "run", forbidden, -1},
		{"a checkpoint cannot be renamed", 0, disktest.Rename, checkpoints + "000002.unfinished", forbidden, 1},
		{"an old checkpoint cannot be removed", 0, disktest.Rename, checkpoints + "000001", forbidden, 2},
		{"the lock cannot be checked", 0, disktest.Stat, "run/lock", forbidden, -1},
		{"no locks", 0, disktest.Lock, "run/lock", noLocks, -1},
	}
	want, _ := uninterrupted(t, crashOptions)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys := disktest.New()
			o := crashOptions(fsys)
			if o.Generations = test.before; test.before > 0 {
				run(t, o)
			}
			fsys.Hook = func(op disktest.Op) disktest.Verdict {
				if op.Kind == test.strikes && op.Path == filepath.FromSlash(test.path) {
					return test.verdict
				}
				return disktest.Verdict{}
			}
			err := train.Run(context.Background(), crashOptions(fsys))
			fsys.Hook = nil
			if test.verdict.Err != nil {
				require.ErrorIs(t, err, test.verdict.Err)
				require.ErrorContains(t, err, filepath.FromSlash(test.path))
			}
			require.NotErrorIs(t, err, rundir.ErrDamaged)
			require.NotErrorIs(t, err, disk.ErrLost)
			halt, ok := errors.AsType[*train.Halt](err)
			require.Equal(t, test.intact >= 0, ok, "%v", err)
			if ok {
				require.Equal(t, test.intact, halt.Checkpoint)
				_, err := models.NewStore(fsys, "run/checkpoints", o.Game.Spec()).Load(test.intact)
				require.NoError(t, err)
			}
			requireResumes(t, fsys, want)
		})
	}
}

// during calls act once, at a step of a phase of a generation, or after the generation if the
// phase is "".
type during struct {
	stopper
	act func()
}

func (d *during) events() train.Events {
	return both(d.stopper.events(), on(func(m train.Completed) {
		if d.phase == "" && m.Generation == d.generation {
			d.act()
		}
	}))
}

// TestRunFolderGone: if its folder is moved or replaced, the run stops with an error, does not
// touch the new folder, and can be resumed when the folder is restored.
func TestRunFolderGone(t *testing.T) {
	want, _ := uninterrupted(t, crashOptions)
	moments := []struct {
		name, phase string
		step        int
	}{
		{"in self-play", train.PhaseSelfplay, 2},
		{"after the last game", train.PhaseSelfplay, 6},
		{"before learning", train.PhaseLearn, 0},
		{"after a generation", "", 0},
	}
	for _, moment := range moments {
		for _, replaced := range []bool{false, true} {
			name := moment.name
			if replaced {
				name += ", replaced"
			}
			t.Run(name, func(t *testing.T) {
				fsys := disktest.New()
				var others map[string]string
				act := func() {
					require.NoError(t, fsys.Rename("run", "away"))
					if replaced {
						other := crashOptions(fsys)
						other.Config.Seed = 77
						run(t, other)
						others = filesOf(t, fsys, "run")
					}
				}
				d := &during{stopper{phase: moment.phase, generation: 2, step: moment.step}, act}
				once := false
				d.cancel = func() {
					if !once {
						once = true
						act()
					}
				}
				o := crashOptions(fsys)
				o.Events = d.events()
				err := train.Run(context.Background(), o)
				require.ErrorIs(t, err, disk.ErrLost)
				_, halted := errors.AsType[*train.Halt](err)
				require.True(t, halted)
				if replaced {
					require.Equal(t, others, filesOf(t, fsys, "run"))
					require.NoError(t, disk.RemoveAll(fsys, "run"))
				}
				_, err = fsys.Stat("run")
				require.ErrorIs(t, err, fs.ErrNotExist, "not recreated")
				require.NoError(t, fsys.Rename("away", "run"))
				requireResumes(t, fsys, want)
			})
		}
	}
}

// TestRunFolderGoneWhileWriting: the folder is moved after the check of the lock, just before a
// file is renamed.
func TestRunFolderGoneWhileWriting(t *testing.T) {
	want, _ := uninterrupted(t, crashOptions)
	for _, file := range []string{"config.yaml", "000002.part", "000002.jsonl.zst", "checkpoints/000002"} {
		fsys := disktest.New()
		err := train.Run(context.Background(), crashOptions(disktest.Over(fsys, func(op disktest.Op) disktest.Verdict {
			if op.Kind == disktest.Rename && strings.HasSuffix(op.To, file) {
				require.NoError(t, fsys.Rename("run", "away"))
			}
			return disktest.Verdict{}
		})))
		require.ErrorIs(t, err, disk.ErrLost, file)
		require.ErrorIs(t, err, fs.ErrNotExist, file)
		_, err = fsys.Stat("run")
		require.ErrorIs(t, err, fs.ErrNotExist, file)
		require.NoError(t, fsys.Rename("away", "run"))
		requireResumes(t, fsys, want)
	}
}

// TestStaleLock: if the lock file of a running process is removed and another process trains in
// the folder, the first process notices before it writes.
func TestStaleLock(t *testing.T) {
	want, _ := uninterrupted(t, crashOptions)
	fsys := disktest.New()
	d := &during{stopper: stopper{phase: train.PhaseSelfplay, generation: 2, step: 2}}
	once := false
	d.cancel = func() {
		if once {
			return
		}
		once = true
		require.ErrorIs(t, train.Run(context.Background(), crashOptions(fsys)), rundir.ErrInUse)
		require.NoError(t, fsys.Remove("run/lock"))
		run(t, crashOptions(fsys))
	}
	o := crashOptions(fsys)
	o.Events = d.events()
	require.ErrorIs(t, train.Run(context.Background(), o), disk.ErrLost)
	requireResumes(t, fsys, want)
}

// TestCheckpointsTakenAway: a run without its checkpoints does not start over in its folder.
func TestCheckpointsTakenAway(t *testing.T) {
	want, _ := uninterrupted(t, crashOptions)
	fsys := disktest.New()
	o := crashOptions(fsys)
	o.Generations = 2
	run(t, o)
	require.NoError(t, fsys.Rename("run/checkpoints", "elsewhere"))
	before := filesOf(t, fsys, "run")
	err := train.Run(context.Background(), crashOptions(fsys))
	require.ErrorContains(t, err, "run/checkpoints")
	require.Equal(t, before, filesOf(t, fsys, "run"))
	require.NoError(t, fsys.Rename("elsewhere", "run/checkpoints"))
	requireResumes(t, fsys, want)
}

// TestKilledBeforeTheFlush: a kill comes after the games of a generation are renamed and before
// their folder is flushed. The next process must flush the folder before it relies on the games:
// the power fails after it has saved the checkpoint.
func TestKilledBeforeTheFlush(t *testing.T) {
	want, _ := uninterrupted(t, crashOptions)
	fail := func(fsys *disktest.Memory, strikes func(disktest.Op) bool) {
		fsys.Hook = func(op disktest.Op) disktest.Verdict {
			if strikes(op) {
				return stopBefore
			}
			return disktest.Verdict{}
		}
		require.ErrorIs(t, train.Run(context.Background(), crashOptions(fsys)), disktest.ErrCrashed)
	}
	for seed := range uint64(8) {
		fsys := disktest.New()
		renamed := false
		fail(fsys, func(op disktest.Op) bool {
			renamed = renamed || at(disktest.Rename, "000002.jsonl.zst.unfinished")(op)
			return renamed && at(disktest.SyncDir, "episodes")(op)
		})
		fsys = fsys.Kill()
		fail(fsys, at(disktest.Create, "000003.part.unfinished"))
		requireResumes(t, fsys.Crash(env.NewRand(seed)), want)
	}
}
