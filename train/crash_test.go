package train_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/models"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// crashOptions is a run of three generations that take milliseconds. The games
// and the checkpoint of the first are removed on the way, and in the end the
// second checkpoint for want of room.
func crashOptions(fsys disk.FS) train.Options {
	o := options("run", 3)
	o.Disk = fsys
	o.Workers = 2
	c := &o.Config
	c.GamesPerGeneration = 5
	c.GenerationSchedule = []recipe.GenerationStep{{Generation: 2, Games: 6}}
	c.Net = net.Config{Channels: 2, Blocks: 1, OutcomeChannels: 1}
	c.Selfplay.ConcurrentGames = 2
	c.Selfplay.CachePositions = 64
	c.Selfplay.Search.Simulations = 3
	c.Selfplay.GameSchedule = []selfplay.GameStep{{Generation: 0, Options: "k=2"}, {Generation: 2}}
	c.Replay.Window = 26
	c.Replay.SampleReuse = 1
	c.Learner.BatchSize = 8
	c.Checkpoints = rundir.Retention{Last: 1, Every: 2}
	c.Disk = 31_000 // two checkpoints, not three, and what the next generation needs
	return o
}

// disaster is a fault that strikes a run at one of its operations on the disk.
type disaster struct {
	name       string
	story      string                 // what happens, for the reader
	strikes    func(disktest.Op) bool // whether it can strike the operation
	verdict    disktest.Verdict
	persistent bool // from the operation struck to the end of the process
	powerCut   bool // the machine stops as well: what was not flushed may be lost
}

func anything(disktest.Op) bool     { return true }
func writes(op disktest.Op) bool    { return op.Kind == disktest.Write }
func changes(op disktest.Op) bool   { return op.Kind.Changes() }
func needsRoom(op disktest.Op) bool { return slices.Contains(needRoom, op.Kind) }

// needRoom are the operations that a full disk refuses.
var needRoom = []disktest.Kind{disktest.Create, disktest.Append, disktest.Write, disktest.Mkdir, disktest.Lock, disktest.Sync}

// Verdicts on an operation.
var (
	stopBefore   = disktest.Verdict{Do: disktest.None, Crash: true}
	stopWithin   = disktest.Verdict{Do: disktest.Half, Crash: true}
	diskFull     = disktest.Verdict{Do: disktest.Half, Err: syscall.ENOSPC}
	ioError      = disktest.Verdict{Do: disktest.None, Err: syscall.EIO}
	readOnlyDisk = disktest.Verdict{Do: disktest.None, Err: syscall.EROFS}
)

var (
	killed = disaster{
		name: "killed", story: "the process is killed before the operation",
		strikes: anything, verdict: stopBefore,
	}
	killedWithin = disaster{
		name: "killed within", story: "the process is killed when half of a write is done",
		strikes: writes, verdict: stopWithin,
	}
	powerCut = disaster{
		name: "power cut", story: "the power fails before the operation",
		strikes: anything, verdict: stopBefore, powerCut: true,
	}
)

var disasters = []disaster{
	killed,
	killedWithin,
	powerCut,
	{
		name: "power cut within", story: "the power fails when half of a write is done",
		strikes: writes, verdict: stopWithin, powerCut: true,
	},
	{
		name: "disk full", story: "half of a write fits on the disk, and from then on nothing does",
		strikes: needsRoom, verdict: diskFull, persistent: true,
	},
	{
		name: "disk full for a moment", story: "half of a write fits on the disk, and then there is room again",
		strikes: needsRoom, verdict: diskFull,
	},
	{
		name: "input/output error", story: "the disk fails to do one operation, and says so",
		strikes: anything, verdict: ioError,
	},
	{
		name: "input/output error, but done", story: "the disk does one operation and says that it failed",
		strikes: changes, verdict: disktest.Verdict{Err: syscall.EIO},
	},
	{
		name: "input/output error and power cut", story: "the disk fails to do one operation, the process stops, and then the power fails",
		strikes: changes, verdict: ioError, powerCut: true,
	},
	{
		name: "read-only", story: "the kernel mounts the disk read-only, as it does after an error of the disk",
		strikes: changes, verdict: readOnlyDisk, persistent: true,
	},
}

// err is what the error of a run that d has ended must wrap.
func (d *disaster) err() error {
	if d.verdict.Crash {
		return disktest.ErrCrashed
	}
	return d.verdict.Err
}

// crashRun is a run that is resumed after one disaster after another, with an
// account of what it must not lose.
type crashRun struct {
	fsys    *disktest.Memory
	rng     *rand.Rand
	workers int  // 0: two
	async   bool // selfplay.asynchronous

	reported int    // the newest generation whose end was reported
	partial  string // the file that games are being added to
	written  int    // games in it
	flushed  int    // the first so many are flushed
	replayed string // the file, if any, to which more games were added than a generation has
	struck   int    // number of the operation that the last disaster struck first, -1 for none
}

// options returns the options of the run.
func (r *crashRun) options() train.Options {
	o := crashOptions(r.fsys)
	if r.async {
		o.Generations = 4
		o.Config.Selfplay.Asynchronous = true
		o.Config.Checkpoints.Last = 2
		o.Config.Disk = 41_000
	}
	return o
}

// countGames counts games as they are written.
func (r *crashRun) countGames(op disktest.Op) {
	if filepath.Ext(op.Path) != ".part" {
		return
	}
	if op.Path != r.partial {
		r.partial, r.written, r.flushed = op.Path, 0, 0
	}
	switch op.Kind {
	case disktest.Write:
		generation := 0
		_, _ = fmt.Sscanf(filepath.Base(op.Path), "%d.part", &generation)
		config := crashOptions(nil).Config
		if r.written++; r.written > config.Games(generation) {
			r.replayed = op.Path
		}
	case disktest.Sync:
		r.flushed = r.written
	}
}

// resume trains until the run is done or d has struck at the first operation from
// number op on that it can strike. The zero disaster never strikes. Where the run
// is not done, r.fsys is what the next process finds.
func (r *crashRun) resume(op int, d disaster) (done bool, err error) {
	r.strikeFrom(op, d)
	o := r.options()
	o.Workers = cmp.Or(r.workers, o.Workers)
	o.Events = on(func(m train.Completed) { r.reported = m.Generation })
	err = train.Run(context.Background(), o)
	r.fsys.Hook = nil
	switch {
	case r.replayed != "":
		return false, fmt.Errorf("%s: games were played again", r.replayed)
	case err == nil:
		return true, nil
	case r.struck < 0:
		return false, fmt.Errorf("failed without a disaster: %w", err)
	case !errors.Is(err, d.err()):
		return false, fmt.Errorf("failed for another reason: %w", err)
	}
	if d.powerCut {
		r.fsys = r.fsys.Crash(r.rng)
	} else {
		r.fsys = r.fsys.Kill()
	}
	return false, r.checkNothingLost(d.powerCut)
}

// strikeFrom sets the hook for resume.
func (r *crashRun) strikeFrom(first int, d disaster) {
	n := -1
	r.struck = -1
	r.fsys.Hook = func(op disktest.Op) disktest.Verdict {
		n++
		if d.strikes == nil || n < first || !d.strikes(op) || !d.persistent && r.struck >= 0 {
			r.countGames(op)
			return disktest.Verdict{}
		}
		if r.struck < 0 {
			r.struck = n
		}
		return d.verdict
	}
}

// crashAt resumes the run with a disaster from operation op on, then resumes it
// to its end. It returns the number of the operation struck, -1 for none.
func (r *crashRun) crashAt(op int, d disaster) (struck int, err error) {
	done, err := r.resume(op, d)
	struck = r.struck
	if err == nil && !done {
		_, err = r.resume(0, disaster{})
	}
	return struck, err
}

// checkNothingLost checks what a disaster has left: every checkpoint loads, none
// that was reported is missing, and no game is, but those that were not flushed
// before a power cut.
func (r *crashRun) checkNothingLost(powerCut bool) error {
	o := crashOptions(nil)
	store := models.NewStore(r.fsys, filepath.Join("run", "checkpoints"), o.Game.Spec())
	generations, err := store.List()
	if err != nil {
		return err
	}
	newest := 0
	for _, g := range generations {
		if _, err := store.Load(g); err != nil {
			return err
		}
		newest = g
	}
	if newest < r.reported {
		return fmt.Errorf("generation %d was reported, checkpoint %d is the newest", r.reported, newest)
	}
	if r.partial == "" {
		return nil
	}
	games, err := gamesIn(r.fsys, r.partial)
	if err != nil {
		return err
	}
	want := r.written
	if powerCut {
		want, r.flushed = r.flushed, games
	}
	if games < want {
		return fmt.Errorf("%s: %d games of %d", r.partial, games, want)
	}
	r.written = games
	return nil
}

// checkDone checks that a run that is done has the files want, and still has them
// after a power cut and another start.
func (r *crashRun) checkDone(t testing.TB, want map[string]string) error {
	if d := r.differences(t, want); d != "" {
		return errors.New(d)
	}
	r.fsys = r.fsys.Crash(r.rng)
	if done, err := r.resume(0, disaster{}); !done {
		return err
	}
	if d := r.differences(t, want); d != "" {
		return fmt.Errorf("after a power cut at the end: %s", d)
	}
	return nil
}

// differences lists the files of a run that are not as in want.
func (r *crashRun) differences(t testing.TB, want map[string]string) string {
	got := filesOf(t, r.fsys, "run")
	var all []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, there := got[name]; !there {
			all = append(all, name+" is missing")
		} else if text != want[name] {
			all = append(all, name+" differs")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, there := want[name]; !there {
			all = append(all, name+" is too many")
		}
	}
	return strings.Join(all, ", ")
}

// gamesIn returns how many games can be read of a generation under way.
func gamesIn(fsys disk.FS, part string) (int, error) {
	for _, path := range []string{strings.TrimSuffix(part, "part") + "jsonl.zst", part} {
		file, err := fsys.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		_, episodes, _ := selfplay.Read(bufio.NewReader(file), findGame)
		return len(episodes), file.Close()
	}
	return 0, nil
}

// filesOf returns the files below dir by path, metrics without what they say of
// the machine.
func filesOf(t testing.TB, fsys disk.FS, dir string) map[string]string {
	files := map[string]string{}
	entries, err := fsys.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			maps.Copy(files, filesOf(t, fsys, path))
			continue
		}
		data, err := disk.ReadFile(fsys, path, 1<<20)
		require.NoError(t, err)
		if e.Name() == "metrics.jsonl" {
			data = withoutMachine(t, data)
		}
		files[path] = string(data)
	}
	return files
}
