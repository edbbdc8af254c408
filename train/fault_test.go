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

// at returns a test for operations of a kind on paths that end in suffix.
func at(kind disktest.Kind, suffix string) func(disktest.Op) bool {
	return func(op disktest.Op) bool { return op.Kind == kind && strings.HasSuffix(op.Path, suffix) }
}

// uninterruptedFiles returns the files of a run of crashOptions that no fault
// strikes.
func uninterruptedFiles(t *testing.T) map[string]string {
	fsys := disktest.New()
	run(t, crashOptions(fsys))
	return filesOf(t, fsys, "run")
}

// requireResumes resumes a run to its end and compares it with want.
func requireResumes(t *testing.T, fsys *disktest.Memory, want map[string]string) {
	t.Helper()
	run(t, crashOptions(fsys))
	got := filesOf(t, fsys, "run")
	for name := range want {
		require.True(t, got[name] == want[name], "%s differs", name)
	}
	require.Len(t, got, len(want))
}

// TestFaults: an error says what failed, where, and which checkpoint is intact,
// and that is true. Without the fault the run then ends with the same bytes.
func TestFaults(t *testing.T) {
	const goesOn = "; once that is fixed, the same command resumes from checkpoint "
	forbidden := disktest.Verdict{Do: disktest.None, Err: fs.ErrPermission}
	tests := []struct {
		name    string
		before  int // generations of the run before the fault
		strikes func(disktest.Op) bool
		verdict disktest.Verdict
		want    string
		intact  int // the checkpoint that the error calls intact; -1 for none
	}{
		{
			"full disk at the first checkpoint", 0, at(disktest.Write, "000000.unfinished/weights.safetensors"), diskFull,
			"train: run: models: save checkpoint 0: write run/checkpoints/000000.unfinished/weights.safetensors: no space left on device", -1,
		},
		{
			"full disk at a checkpoint", 0, at(disktest.Write, "000002.unfinished/optimizer.safetensors"), diskFull,
			"train: run: generation 2: models: save checkpoint 2: write run/checkpoints/000002.unfinished/optimizer.safetensors: no space left on device" + goesOn + "1, which is intact", 1,
		},
		{
			"full disk at a game", 0, at(disktest.Write, "000002.part"), diskFull,
			"write run/episodes/000002.part: no space left on device" + goesOn + "1, which is intact", 1,
		},
		{
			"full disk at the metrics", 0, at(disktest.Write, "metrics.jsonl"), diskFull,
			"train: run: generation 1: write run/metrics.jsonl: no space left on device" + goesOn + "1, which is intact", 1,
		},
		{
			"short write", 0, at(disktest.Write, "000002.jsonl.zst.unfinished"),
			disktest.Verdict{Do: disktest.Half},
			"short write" + goesOn + "1, which is intact", 1,
		},
		{
			"full disk at the configuration", 0, at(disktest.Write, "config.yaml.unfinished"), diskFull,
			"write run/config.yaml.unfinished: no space left on device", -1,
		},
		{
			"read-only folder", 1, at(disktest.Lock, "lock"), readOnlyDisk,
			"train: run: lock run/lock: read-only file system", -1,
		},
		{
			"games cannot be flushed", 0, at(disktest.Sync, "000002.part"), ioError,
			"train: run: generation 2: sync run/episodes/000002.part: input/output error" + goesOn + "1, which is intact", 1,
		},
		{
			"weights cannot be flushed", 0, at(disktest.Sync, "000002.unfinished/weights.safetensors"), ioError,
			"sync run/checkpoints/000002.unfinished/weights.safetensors: input/output error" + goesOn + "1, which is intact", 1,
		},
		{
			"a checkpoint's name cannot be flushed", 1, at(disktest.SyncDir, "run/checkpoints"), ioError,
			"train: run: syncdir run/checkpoints: input/output error", -1,
		},
		{
			"metrics cannot be flushed", 0, at(disktest.Sync, "metrics.jsonl"), ioError,
			"train: run: generation 1: sync run/metrics.jsonl: input/output error" + goesOn + "1, which is intact", 1,
		},
		{
			"a checkpoint cannot be read", 1, at(disktest.Read, "000001/weights.safetensors"), ioError,
			"train: run: models: load checkpoint 1: read run/checkpoints/000001/weights.safetensors: input/output error", -1,
		},
		{
			"games cannot be read", 1, at(disktest.Read, "000001.jsonl.zst"), ioError,
			"read run/episodes/000001.jsonl.zst: input/output error" + goesOn + "1, which is intact", 1,
		},
		{
			"configuration not to be read", 1, at(disktest.Open, "config.yaml"), forbidden,
			"open run/config.yaml: permission denied", -1,
		},
		{
			"folder not to be read", 1, at(disktest.ReadDir, "run"), forbidden,
			"readdir run: permission denied", -1,
		},
		{
			"a checkpoint not to be renamed", 0, at(disktest.Rename, "000002.unfinished"), forbidden,
			"rename run/checkpoints/000002.unfinished: permission denied" + goesOn + "1, which is intact", 1,
		},
		{
			"an old checkpoint not to be removed", 0, at(disktest.Rename, "checkpoints/000001"), forbidden,
			": rename run/checkpoints/000001: permission denied" + goesOn + "2, which is intact", 2,
		},
		{
			"the lock cannot be looked at", 0, at(disktest.Stat, "run/lock"), forbidden,
			"train: run: stat run/lock: permission denied", -1,
		},
		{
			"no locks", 0, at(disktest.Lock, "lock"),
			disktest.Verdict{Do: disktest.None, Err: syscall.ENOLCK},
			"train: run: lock run/lock: no locks available", -1,
		},
	}
	want := uninterruptedFiles(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys := disktest.New()
			o := crashOptions(fsys)
			if o.Generations = test.before; test.before > 0 {
				run(t, o)
			}
			struck := false
			fsys.Hook = func(op disktest.Op) disktest.Verdict {
				if !test.strikes(op) {
					return disktest.Verdict{}
				}
				struck = true
				return test.verdict
			}
			err := train.Run(context.Background(), crashOptions(fsys))
			fsys.Hook = nil
			require.True(t, struck)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "moved elsewhere", "nothing is damaged")
			require.NotContains(t, err.Error(), "vanished", "the folder is where it was")
			require.NotContains(t, err.Error(), "\n")
			if test.verdict.Err != nil {
				require.ErrorIs(t, err, test.verdict.Err)
			}
			if test.intact >= 0 {
				_, err := models.NewStore(fsys, "run/checkpoints", o.Game.Spec()).Load(test.intact)
				require.NoError(t, err)
			}
			requireResumes(t, fsys, want)
		})
	}
}

// during calls act once, at a step of a phase of a generation, or after the
// generation if the phase is "".
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

// TestRunFolderGone: a run whose folder vanishes or is replaced stops with an
// error that says so, leaves alone what is there now, and can be resumed when its
// folder is back.
func TestRunFolderGone(t *testing.T) {
	want := uninterruptedFiles(t)
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
				require.ErrorContains(t, err, "the run folder has vanished or another is in its place, which is left alone; bring it back")
				require.ErrorContains(t, err, "the same command resumes from checkpoint ")
				if replaced {
					require.Equal(t, others, filesOf(t, fsys, "run"))
					require.NoError(t, disk.RemoveAll(fsys, "run"))
				}
				_, err = fsys.Stat("run")
				require.ErrorIs(t, err, fs.ErrNotExist, "not made again")
				require.NoError(t, fsys.Rename("away", "run"))
				requireResumes(t, fsys, want)
			})
		}
	}
}

// TestRunFolderGoneWhileWriting: the folder vanishes after the check of the lock
// and just before a file gets its name.
func TestRunFolderGoneWhileWriting(t *testing.T) {
	want := uninterruptedFiles(t)
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
		require.ErrorContains(t, err, "the run folder has vanished")
		_, err = fsys.Stat("run")
		require.ErrorIs(t, err, fs.ErrNotExist, file)
		require.NoError(t, fsys.Rename("away", "run"))
		requireResumes(t, fsys, want)
	}
}

// TestStaleLock: somebody removes the lock of a run under way and trains in its
// folder; the first trainer notices before it writes.
func TestStaleLock(t *testing.T) {
	want := uninterruptedFiles(t)
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

// TestDamagedCheckpoint: the error names the newest checkpoint that is intact, from
// which the run ends with the same bytes once the damaged one is moved away.
func TestDamagedCheckpoint(t *testing.T) {
	want := uninterruptedFiles(t)
	damage := func(fsys *disktest.Memory, generation string) {
		path := filepath.Join("run", "checkpoints", generation, "state.json")
		file, err := fsys.Append(path)
		require.NoError(t, err)
		_, err = file.Write([]byte("more"))
		require.NoError(t, errors.Join(err, file.Close()))
	}
	fsys := disktest.New()
	o := crashOptions(fsys)
	o.Generations = 2
	run(t, o)
	damage(fsys, "000002")
	err := train.Run(context.Background(), crashOptions(fsys))
	require.ErrorIs(t, err, rundir.ErrDamaged)
	require.ErrorContains(t, err, "the file is damaged; checkpoint 0 is intact: move the folders of newer ones elsewhere, and the same command resumes from it")
	require.NoError(t, fsys.Rename("run/checkpoints/000002", "run/checkpoints/000002-damaged"))
	require.NoError(t, disk.RemoveAll(fsys, "run/checkpoints/000002-damaged"))
	requireResumes(t, fsys, want)

	damage(fsys, "000000")
	damage(fsys, "000003")
	err = train.Run(context.Background(), crashOptions(fsys))
	require.ErrorContains(t, err, "no checkpoint before it is intact")
}

// TestRenamedCheckpoint: a checkpoint under the number of another is refused.
func TestRenamedCheckpoint(t *testing.T) {
	want := uninterruptedFiles(t)
	fsys := disktest.New()
	o := crashOptions(fsys)
	o.Generations = 2
	run(t, o)
	require.NoError(t, fsys.Rename("run/checkpoints/000002", "run/checkpoints/000005"))
	err := train.Run(context.Background(), crashOptions(fsys))
	require.ErrorContains(t, err, "run/checkpoints/000005: it holds checkpoint 2 and was renamed; want its name to be 000002")
	require.NoError(t, fsys.Rename("run/checkpoints/000005", "run/checkpoints/000002"))
	requireResumes(t, fsys, want)
}

// TestCheckpointsTakenAway: a run without its checkpoints does not start over in
// what is left of it.
func TestCheckpointsTakenAway(t *testing.T) {
	want := uninterruptedFiles(t)
	fsys := disktest.New()
	o := crashOptions(fsys)
	o.Generations = 2
	run(t, o)
	require.NoError(t, fsys.Rename("run/checkpoints", "elsewhere"))
	before := filesOf(t, fsys, "run")
	err := train.Run(context.Background(), crashOptions(fsys))
	require.ErrorContains(t, err, "run/metrics.jsonl lists generations, but there is no checkpoint; bring run/checkpoints back")
	require.Equal(t, before, filesOf(t, fsys, "run"))
	require.NoError(t, fsys.Rename("elsewhere", "run/checkpoints"))
	requireResumes(t, fsys, want)
}

// TestKilledBeforeTheFlush: the games of a generation have their name, but a kill
// comes before their folder is flushed. The next process must flush it before it
// relies on them: the power fails when it has saved the checkpoint.
func TestKilledBeforeTheFlush(t *testing.T) {
	want := uninterruptedFiles(t)
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
