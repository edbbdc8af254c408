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
	c.GamesPerGeneration = 6
	c.Net = net.Config{Channels: 2, Blocks: 1, OutcomeChannels: 1}
	c.Selfplay.ConcurrentGames = 2
	c.Selfplay.CachePositions = 64
	c.Selfplay.Search.Simulations = 3
	c.Selfplay.CheapSimulations = 2
	c.Replay.Window = 45
	c.Replay.SampleReuse = 1
	c.Learner.Batch = 8
	c.Checkpoints = models.Keep{Last: 1, Every: 2}
	c.Disk = 18_000 // two checkpoints, not three
	return o
}

// disaster is something that befalls a run.
type disaster struct {
	name    string
	meets   func(disktest.Op) bool // what it may befall
	verdict disktest.Verdict
	stays   bool // from the first such operation to the end of the process
	cut     bool // the power goes too: what has not been flushed may be lost
}

func every(disktest.Op) bool        { return true }
func writes(op disktest.Op) bool    { return op.Kind == disktest.Write }
func changes(op disktest.Op) bool   { return op.Kind.Changes() }
func takesRoom(op disktest.Op) bool { return slices.Contains(roomy, op.Kind) }

// roomy are the operations that a full disk refuses.
var roomy = []disktest.Kind{disktest.Create, disktest.Append, disktest.Write, disktest.Mkdir, disktest.Lock, disktest.Sync}

var (
	killed       = disaster{name: "killed", meets: every, verdict: disktest.Verdict{Do: disktest.None, Crash: true}}
	killedWithin = disaster{name: "killed within", meets: writes, verdict: disktest.Verdict{Do: disktest.Half, Crash: true}}
	powerCut     = disaster{name: "power cut", meets: every, verdict: disktest.Verdict{Do: disktest.None, Crash: true}, cut: true}
)

var disasters = []disaster{
	killed,
	killedWithin,
	powerCut,
	{name: "power cut within", meets: writes, verdict: disktest.Verdict{Do: disktest.Half, Crash: true}, cut: true},
	{name: "disk full", meets: takesRoom, verdict: disktest.Verdict{Do: disktest.Half, Err: syscall.ENOSPC}, stays: true},
	{name: "disk full for a moment", meets: takesRoom, verdict: disktest.Verdict{Do: disktest.Half, Err: syscall.ENOSPC}},
	{name: "input/output error", meets: every, verdict: disktest.Verdict{Do: disktest.None, Err: syscall.EIO}},
	{name: "input/output error, but done", meets: changes, verdict: disktest.Verdict{Err: syscall.EIO}},
	{name: "input/output error and power cut", meets: changes, verdict: disktest.Verdict{Do: disktest.None, Err: syscall.EIO}, cut: true},
	{name: "read-only", meets: changes, verdict: disktest.Verdict{Do: disktest.None, Err: syscall.EROFS}, stays: true},
}

// err is what a run that met with d must wrap.
func (d *disaster) err() error {
	if d.verdict.Crash {
		return disktest.ErrCrashed
	}
	return d.verdict.Err
}

// voyage is a run that goes on through one disaster after another, and what it
// must not lose.
type voyage struct {
	fsys    *disktest.Memory
	rng     *rand.Rand
	workers int // 0: two

	complete int    // the newest generation that was reported
	part     string // the file that games are being added to
	written  int    // games in it
	lasting  int    // the first so many were flushed
	again    string // the file, if any, that got games which were there already
	struck   int    // number of the operation that the last disaster began with, -1 for none
}

// Start implements train.Progress.
func (v *voyage) Start(string, int, int, int) {}

// Advance implements train.Progress.
func (v *voyage) Advance(int, int) {}

// Done implements train.Progress.
func (v *voyage) Done() {}

// Generation implements train.Progress.
func (v *voyage) Generation(m train.Metrics) { v.complete = m.Generation }

// note counts games as they are written.
func (v *voyage) note(op disktest.Op) {
	if filepath.Ext(op.Path) != ".part" {
		return
	}
	if op.Path != v.part {
		v.part, v.written, v.lasting = op.Path, 0, 0
	}
	switch op.Kind {
	case disktest.Write:
		if v.written++; v.written > crashOptions(nil).Config.GamesPerGeneration {
			v.again = op.Path
		}
	case disktest.Sync:
		v.lasting = v.written
	}
}

// sail lets the run go on until its end or a disaster at the first operation
// from number k on that meets with it. The zero disaster is none. After one it
// returns false, and v.fsys is what the next process finds.
func (v *voyage) sail(k int, d disaster) (ended bool, err error) {
	n := -1
	v.struck = -1
	v.fsys.Hook = func(op disktest.Op) disktest.Verdict {
		n++
		if d.meets == nil || n < k || !d.meets(op) || !d.stays && v.struck >= 0 {
			v.note(op)
			return disktest.Verdict{}
		}
		if v.struck < 0 {
			v.struck = n
		}
		return d.verdict
	}
	o := crashOptions(v.fsys)
	o.Workers = cmp.Or(v.workers, o.Workers)
	o.Progress = v
	err = train.Run(context.Background(), o)
	v.fsys.Hook = nil
	switch {
	case v.again != "":
		return false, fmt.Errorf("%s: games were played again", v.again)
	case err == nil:
		return true, nil
	case v.struck < 0:
		return false, fmt.Errorf("failed without a disaster: %w", err)
	case !errors.Is(err, d.err()):
		return false, fmt.Errorf("failed of something else: %w", err)
	}
	if d.cut {
		v.fsys = v.fsys.Crash(v.rng)
	} else {
		v.fsys = v.fsys.Kill()
	}
	return false, v.inspect(d.cut)
}

// meet lets the run go on to its end with a disaster on the way, and returns
// the number of the operation that it began with, -1 for none.
func (v *voyage) meet(k int, d disaster) (at int, err error) {
	ended, err := v.sail(k, d)
	at = v.struck
	if err == nil && !ended {
		_, err = v.sail(0, disaster{})
	}
	return at, err
}

// inspect looks for losses in what a disaster has left.
func (v *voyage) inspect(cut bool) error {
	o := crashOptions(nil)
	store := models.NewStore(v.fsys, filepath.Join("run", "checkpoints"), o.Game.Spec())
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
	if newest < v.complete {
		return fmt.Errorf("generation %d was reported, checkpoint %d is the newest", v.complete, newest)
	}
	if v.part == "" {
		return nil
	}
	games, err := gamesIn(v.fsys, v.part)
	if err != nil {
		return err
	}
	want := v.written
	if cut {
		want, v.lasting = v.lasting, games
	}
	if games < want {
		return fmt.Errorf("%s: %d games of %d", v.part, games, want)
	}
	v.written = games
	return nil
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
		_, episodes, _ := selfplay.Read(bufio.NewReader(file), crashOptions(nil).Game)
		return len(episodes), file.Close()
	}
	return 0, nil
}

// differences says in what a finished run is not as want.
func (v *voyage) differences(t testing.TB, want map[string]string) string {
	got := filesOf(t, v.fsys, "run")
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

// finish checks that a run that has ended is want, and stays so in a power cut.
func (v *voyage) finish(t testing.TB, want map[string]string) error {
	if d := v.differences(t, want); d != "" {
		return errors.New(d)
	}
	v.fsys = v.fsys.Crash(v.rng)
	if ended, err := v.sail(0, disaster{}); !ended {
		return err
	}
	if d := v.differences(t, want); d != "" {
		return fmt.Errorf("after a power cut at the end: %s", d)
	}
	return nil
}
