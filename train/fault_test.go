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
	"tiro/train"
)

// at returns a test for operations of a kind on paths that end in a text.
func at(kind disktest.Kind, path string) func(disktest.Op) bool {
	return func(op disktest.Op) bool { return op.Kind == kind && strings.HasSuffix(op.Path, path) }
}

// unbrokenFiles returns what an unbroken run of crashOptions leaves.
func unbrokenFiles(t *testing.T) map[string]string {
	fsys := disktest.New()
	run(t, crashOptions(fsys))
	return filesOf(t, fsys, "run")
}

// requireGoesOn lets a run go on to its end and compares it with want.
func requireGoesOn(t *testing.T, fsys *disktest.Memory, want map[string]string) {
	t.Helper()
	run(t, crashOptions(fsys))
	got := filesOf(t, fsys, "run")
	for name := range want {
		require.True(t, got[name] == want[name], "%s differs", name)
	}
	require.Len(t, got, len(want))
}

// TestFaults: an error says what failed, where, and which checkpoint is whole,
// and that is true. When the fault is gone the run goes on to the same bytes.
func TestFaults(t *testing.T) {
	const goesOn = "; that put right, the same command goes on from checkpoint "
	full := disktest.Verdict{Do: disktest.Half, Err: syscall.ENOSPC}
	broken := disktest.Verdict{Do: disktest.None, Err: syscall.EIO}
	forbidden := disktest.Verdict{Do: disktest.None, Err: fs.ErrPermission}
	readOnly := disktest.Verdict{Do: disktest.None, Err: syscall.EROFS}
	tests := []struct {
		name    string
		begun   int // generations before
		meets   func(disktest.Op) bool
		verdict disktest.Verdict
		want    string
		whole   int // checkpoint; -1 for none
	}{
		{
			"full disk at the first checkpoint", 0, at(disktest.Write, "000000.unfinished/weights.safetensors"), full,
			"train: run: models: save checkpoint 0: write run/checkpoints/000000.unfinished/weights.safetensors: no space left on device", -1,
		},
		{
			"full disk at a checkpoint", 0, at(disktest.Write, "000002.unfinished/optimizer.safetensors"), full,
			"train: run: generation 2: models: save checkpoint 2: write run/checkpoints/000002.unfinished/optimizer.safetensors: no space left on device" + goesOn + "1, which is whole", 1,
		},
		{
			"full disk at a game", 0, at(disktest.Write, "000002.part"), full,
			"write run/episodes/000002.part: no space left on device" + goesOn + "1, which is whole", 1,
		},
		{
			"full disk at the metrics", 0, at(disktest.Write, "metrics.jsonl"), full,
			"train: run: generation 1: write run/metrics.jsonl: no space left on device" + goesOn + "1, which is whole", 1,
		},
		{
			"short write", 0, at(disktest.Write, "000002.jsonl.zst.unfinished"),
			disktest.Verdict{Do: disktest.Half},
			"short write" + goesOn + "1, which is whole", 1,
		},
		{
			"full disk at the configuration", 0, at(disktest.Write, "config.yaml.unfinished"), full,
			"write run/config.yaml.unfinished: no space left on device", -1,
		},
		{
			"read-only folder", 1, at(disktest.Lock, "lock"), readOnly,
			"train: run: lock run/lock: read-only file system", -1,
		},
		{
			"games cannot be flushed", 0, at(disktest.Sync, "000002.part"), broken,
			"train: run: generation 2: sync run/episodes/000002.part: input/output error" + goesOn + "1, which is whole", 1,
		},
		{
			"weights cannot be flushed", 0, at(disktest.Sync, "000002.unfinished/weights.safetensors"), broken,
			"sync run/checkpoints/000002.unfinished/weights.safetensors: input/output error" + goesOn + "1, which is whole", 1,
		},
		{
			"a checkpoint's name cannot be flushed", 1, at(disktest.SyncDir, "run/checkpoints"), broken,
			"train: run: syncdir run/checkpoints: input/output error", -1,
		},
		{
			"metrics cannot be flushed", 0, at(disktest.Sync, "metrics.jsonl"), broken,
			"train: run: generation 1: sync run/metrics.jsonl: input/output error" + goesOn + "1, which is whole", 1,
		},
		{
			"a checkpoint cannot be read", 1, at(disktest.Read, "000001/weights.safetensors"), broken,
			"train: run: models: load checkpoint 1: read run/checkpoints/000001/weights.safetensors: input/output error", -1,
		},
		{
			"games cannot be read", 1, at(disktest.Read, "000001.jsonl.zst"), broken,
			"read run/episodes/000001.jsonl.zst: input/output error" + goesOn + "1, which is whole", 1,
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
			"rename run/checkpoints/000002.unfinished: permission denied" + goesOn + "1, which is whole", 1,
		},
		{
			"an old checkpoint not to be removed", 0, at(disktest.Rename, "checkpoints/000001"), forbidden,
			": rename run/checkpoints/000001: permission denied" + goesOn + "2, which is whole", 2,
		},
		{
			"no locks", 0, at(disktest.Lock, "lock"),
			disktest.Verdict{Do: disktest.None, Err: syscall.ENOLCK},
			"train: run: lock run/lock: no locks available", -1,
		},
	}
	want := unbrokenFiles(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys := disktest.New()
			o := crashOptions(fsys)
			if o.Generations = test.begun; test.begun > 0 {
				run(t, o)
			}
			struck := false
			fsys.Hook = func(op disktest.Op) disktest.Verdict {
				if !test.meets(op) {
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
			require.NotContains(t, err.Error(), "\n")
			if test.verdict.Err != nil {
				require.ErrorIs(t, err, test.verdict.Err)
			}
			if test.whole >= 0 {
				_, err := models.NewStore(fsys, "run/checkpoints", o.Game.Spec()).Load(test.whole)
				require.NoError(t, err)
			}
			requireGoesOn(t, fsys, want)
		})
	}
}

// during calls act once, at a step of a phase of a generation, or after the
// generation if the phase is "".
type during struct {
	stopper
	act func()
}

func (d *during) Generation(m train.Metrics) {
	if d.phase == "" && m.Generation == d.generation {
		d.act()
	}
}

// TestRunFolderGone: a run whose folder vanishes or is replaced stops with an
// error that says so, leaves alone what is there, and goes on when its folder
// is back.
func TestRunFolderGone(t *testing.T) {
	want := unbrokenFiles(t)
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
				o.Progress = d
				err := train.Run(context.Background(), o)
				require.ErrorIs(t, err, disk.ErrLost)
				require.ErrorContains(t, err, "the run folder has vanished or another is in its place, which is left alone; bring it back")
				require.ErrorContains(t, err, "the same command goes on from checkpoint ")
				if replaced {
					require.Equal(t, others, filesOf(t, fsys, "run"))
					require.NoError(t, disk.RemoveAll(fsys, "run"))
				}
				_, err = fsys.Stat("run")
				require.ErrorIs(t, err, fs.ErrNotExist, "not made again")
				require.NoError(t, fsys.Rename("away", "run"))
				requireGoesOn(t, fsys, want)
			})
		}
	}
}

// fleeing is a file system whose run folder vanishes just before a file gets
// its name.
type fleeing struct {
	*disktest.Memory
	file string
}

func (f fleeing) Rename(from, to string) error {
	if strings.HasSuffix(to, f.file) {
		if err := f.FS.Rename("run", "away"); err != nil {
			return err
		}
	}
	return f.FS.Rename(from, to)
}

// TestRunFolderGoneWhileWriting: between the look at the lock and the writing.
func TestRunFolderGoneWhileWriting(t *testing.T) {
	want := unbrokenFiles(t)
	for _, file := range []string{"config.yaml", "000002.part", "000002.jsonl.zst", "checkpoints/000002"} {
		fsys := disktest.New()
		err := train.Run(context.Background(), crashOptions(fleeing{fsys, file}))
		require.ErrorIs(t, err, disk.ErrLost, file)
		require.ErrorIs(t, err, fs.ErrNotExist, file)
		require.ErrorContains(t, err, "the run folder has vanished")
		_, err = fsys.Stat("run")
		require.ErrorIs(t, err, fs.ErrNotExist, file)
		require.NoError(t, fsys.Rename("away", "run"))
		requireGoesOn(t, fsys, want)
	}
}

// TestStaleLock: somebody removes the lock of a run under way and trains in its
// folder; the first trainer notices before it writes.
func TestStaleLock(t *testing.T) {
	want := unbrokenFiles(t)
	fsys := disktest.New()
	d := &during{stopper: stopper{phase: train.PhaseSelfplay, generation: 2, step: 2}}
	once := false
	d.cancel = func() {
		if once {
			return
		}
		once = true
		require.ErrorIs(t, train.Run(context.Background(), crashOptions(fsys)), train.ErrInUse)
		require.NoError(t, fsys.Remove("run/lock"))
		run(t, crashOptions(fsys))
	}
	o := crashOptions(fsys)
	o.Progress = d
	require.ErrorIs(t, train.Run(context.Background(), o), disk.ErrLost)
	requireGoesOn(t, fsys, want)
}

// TestDamagedCheckpoint: the error names the newest checkpoint that is whole,
// and the run goes on from it to the same bytes once the damaged one is away.
func TestDamagedCheckpoint(t *testing.T) {
	want := unbrokenFiles(t)
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
	require.ErrorIs(t, err, train.ErrDamaged)
	require.ErrorContains(t, err, "the file is damaged; checkpoint 0 is whole: with the folders of newer ones moved elsewhere the same command goes on from there")
	require.NoError(t, fsys.Rename("run/checkpoints/000002", "run/checkpoints/000002-damaged"))
	require.NoError(t, disk.RemoveAll(fsys, "run/checkpoints/000002-damaged"))
	requireGoesOn(t, fsys, want)

	damage(fsys, "000000")
	damage(fsys, "000003")
	err = train.Run(context.Background(), crashOptions(fsys))
	require.ErrorContains(t, err, "no checkpoint before it is whole")
}

// TestRenamedCheckpoint: a checkpoint under another number is not taken for it.
func TestRenamedCheckpoint(t *testing.T) {
	want := unbrokenFiles(t)
	fsys := disktest.New()
	o := crashOptions(fsys)
	o.Generations = 2
	run(t, o)
	require.NoError(t, fsys.Rename("run/checkpoints/000002", "run/checkpoints/000005"))
	err := train.Run(context.Background(), crashOptions(fsys))
	require.ErrorContains(t, err, "run/checkpoints/000005: it holds checkpoint 2 and was renamed; want its name to be 000002")
	require.NoError(t, fsys.Rename("run/checkpoints/000005", "run/checkpoints/000002"))
	requireGoesOn(t, fsys, want)
}

// TestCheckpointsTakenAway: a run that has lost its checkpoints does not begin
// anew over what is left.
func TestCheckpointsTakenAway(t *testing.T) {
	want := unbrokenFiles(t)
	fsys := disktest.New()
	o := crashOptions(fsys)
	o.Generations = 2
	run(t, o)
	require.NoError(t, fsys.Rename("run/checkpoints", "elsewhere"))
	before := filesOf(t, fsys, "run")
	err := train.Run(context.Background(), crashOptions(fsys))
	require.ErrorContains(t, err, "run/metrics.jsonl tells of generations, but there is no checkpoint; bring run/checkpoints back")
	require.Equal(t, before, filesOf(t, fsys, "run"))
	require.NoError(t, fsys.Rename("elsewhere", "run/checkpoints"))
	requireGoesOn(t, fsys, want)
}

// TestKilledBeforeTheFlush: the games of a generation have their name, but a
// kill keeps their folder from being flushed. The next process must see to that
// before it builds on them: the power goes when it has saved the checkpoint.
func TestKilledBeforeTheFlush(t *testing.T) {
	want := unbrokenFiles(t)
	stop := disktest.Verdict{Do: disktest.None, Crash: true}
	fail := func(fsys *disktest.Memory, meets func(disktest.Op) bool) {
		fsys.Hook = func(op disktest.Op) disktest.Verdict {
			if meets(op) {
				return stop
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
		requireGoesOn(t, fsys.Crash(env.NewRand(seed)), want)
	}
}
