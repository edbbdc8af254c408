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
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/models"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// crashOptions returns a run of three generations that takes milliseconds. The games and the
// checkpoint of the first generation are removed during the run, and the second checkpoint at the
// end for lack of room.
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
	c.Disk = 34_000 // two checkpoints, not three, and room for the next generation
	return o
}

// asynchronousCrashOptions returns a run of four generations that plays while it learns.
func asynchronousCrashOptions(fsys disk.FS) train.Options {
	o := crashOptions(fsys)
	o.Generations = 4
	o.Config.Selfplay.Asynchronous = true
	o.Config.Checkpoints.Last = 2
	o.Config.Disk = 44_000
	return o
}

// crashRun is a run that is resumed after each of several disasters. Its methods fail the test if
// the run loses something that must not be lost.
type crashRun struct {
	t       testing.TB
	options func(disk.FS) train.Options
	fsys    *disktest.Memory // the files for the next process
	rng     *rand.Rand
	workers int      // 0 means two
	story   []string // the disasters so far
	done    bool

	reported int    // the newest generation that was reported as complete
	partial  string // the file to which games are being appended
	written  int    // games in it
	flushed  int    // number of games flushed
}

func newCrashRun(t testing.TB, options func(disk.FS) train.Options, seed ...uint64) *crashRun {
	return &crashRun{t: t, options: options, fsys: disktest.New(), rng: env.NewRand(seed...)}
}

// copy returns a copy for another test, with everything flushed.
func (r *crashRun) copy(t testing.TB, seed ...uint64) *crashRun {
	c := *r
	c.t, c.rng, c.story = t, env.NewRand(seed...), slices.Clone(r.story)
	c.fsys = r.fsys.Crash(c.rng)
	return &c
}

// strike trains until the run is done or until d strikes. The disaster strikes the first possible
// operation whose number is at least first. strike returns the number of the operation, or -1 if
// d did not strike, and checks that nothing saved is lost. The zero disaster never strikes.
func (r *crashRun) strike(first int, d disaster) (struck int) {
	r.t.Helper()
	n, struck := -1, -1
	r.fsys.Hook = func(op disktest.Op) disktest.Verdict {
		n++
		if d.strikes == nil || n < first || !d.strikes(op) || !d.persistent && struck >= 0 {
			r.countGames(op)
			return disktest.Verdict{}
		}
		if struck < 0 {
			struck = n
		}
		return d.verdict
	}
	o := r.options(r.fsys)
	o.Workers = cmp.Or(r.workers, o.Workers)
	o.Events = on(func(m train.Completed) { r.reported = m.Generation })
	err := train.Run(context.Background(), o)
	r.fsys.Hook = nil
	r.story = append(r.story, fmt.Sprintf("%s at %d", d.name, struck))
	if r.done = err == nil; r.done {
		return struck
	}
	require.GreaterOrEqual(r.t, struck, 0, "%v: %v", r.story, err)
	require.ErrorIs(r.t, err, d.err(), "%v", r.story)
	if d.powerCut {
		r.fsys = r.fsys.Crash(r.rng)
	} else {
		r.fsys = r.fsys.Kill()
	}
	r.checkNothingLost(d.powerCut)
	return struck
}

// countGames counts games as they are written, and fails if a game is played twice.
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
		config := r.options(nil).Config
		if r.written++; r.written > config.Games(generation) {
			r.t.Errorf("%v: %s: games are replayed", r.story, op.Path)
		}
	case disktest.Sync:
		r.flushed = r.written
	}
}

// checkNothingLost checks that every checkpoint can be loaded, that no reported checkpoint is
// missing, and that no game is lost except unflushed games in a power cut.
func (r *crashRun) checkNothingLost(powerCut bool) {
	r.t.Helper()
	store := models.NewStore(r.fsys, filepath.Join("run", "checkpoints"), r.options(nil).Game.Spec())
	generations, err := store.List()
	require.NoError(r.t, err, "%v", r.story)
	newest := 0
	for _, newest = range generations {
		_, err := store.Load(newest)
		require.NoError(r.t, err, "%v", r.story)
	}
	require.GreaterOrEqual(r.t, newest, r.reported, "%v: reported checkpoints", r.story)
	if r.partial == "" {
		return
	}
	games, want := gamesIn(r.t, r.fsys, r.partial), r.written
	if powerCut {
		want, r.flushed = r.flushed, games
	}
	require.GreaterOrEqual(r.t, games, want, "%v: games in %s", r.story, r.partial)
	r.written = games
}

// finish resumes the run to its end and checks that it has the files want, also after a power cut
// and another start.
func (r *crashRun) finish(want map[string]string) {
	r.t.Helper()
	if !r.done {
		r.strike(0, disaster{})
	}
	require.Empty(r.t, differences(want, filesOf(r.t, r.fsys, "run")), "%v", r.story)
	r.fsys = r.fsys.Crash(r.rng)
	r.strike(0, disaster{})
	require.Empty(r.t, differences(want, filesOf(r.t, r.fsys, "run")), "%v, then a power cut at the end", r.story)
}

// differences lists the files that differ from want.
func differences(want, got map[string]string) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, there := got[name]; !there {
			all = append(all, name+" is missing")
		} else if text != want[name] {
			all = append(all, name+" differs")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, there := want[name]; !there {
			all = append(all, name+" is unexpected")
		}
	}
	return all
}

// gamesIn returns the number of readable games of a generation in progress.
func gamesIn(t testing.TB, fsys disk.FS, part string) int {
	for _, path := range []string{strings.TrimSuffix(part, "part") + "jsonl.zst", part} {
		file, err := fsys.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		_, episodes, _ := selfplay.Read(bufio.NewReader(file), findGame)
		require.NoError(t, file.Close())
		return len(episodes)
	}
	return 0
}

// filesOf returns the files below dir by path. Metrics are without the machine's part.
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
