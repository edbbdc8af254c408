package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/env/envtest"
	"tiro/rundir"
	"tiro/train"
)

// TestMemoryIsCheckedFirst: a run that may not fit is refused with the parts
// and the settings, and leaves no trace.
func TestMemoryIsCheckedFirst(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "run"), 1)
	o.Config.Memory = train.CodeMemory + train.RuntimeMemory + 1<<20
	err := train.Run(context.Background(), o)
	require.ErrorContains(t, err, "memory is 41MiB, of which the program itself takes 40MiB and 640KiB may go to everything except games, but that needs up to ")
	for _, part := range []string{"search trees ", "caches ", "evaluators ", "learner ", "checkpoint "} {
		require.ErrorContains(t, err, part)
	}
	for _, setting := range []string{"selfplay.concurrent_games", "max_nodes", "selfplay.cache_positions", "workers", "learner.batch_size", "net"} {
		require.ErrorContains(t, err, setting)
	}
	require.NoDirExists(t, o.Dir)
	require.EqualError(t, err, "train: "+o.Dir+": "+o.Validate().Error())

	o.Config.Memory = least(t, err)
	require.NoError(t, o.Validate())
	run(t, o)
}

// TestOwnershipIsCheckedFirst: the game of a tree has no ownership targets.
func TestOwnershipIsCheckedFirst(t *testing.T) {
	o := options(t.TempDir(), 1)
	o.Game = envtest.MustTree(2, "(AB)")
	require.NoError(t, o.Validate())
	o.Config.Net.Ownership = true
	require.ErrorContains(t, o.Validate(), "net.ownership is true; want false, since ")
}

// least returns the bound that an error asks for.
func least(t *testing.T, err error) (b configs.Bytes) {
	found := regexp.MustCompile(`want at least (\w+),`).FindStringSubmatch(err.Error())
	require.NotNil(t, found, err.Error())
	require.NoError(t, b.UnmarshalText([]byte(found[1])))
	return b
}

// TestMemoryBoundsTheWindow: with little memory for games the window is short. That
// is reported once, and the same however the run was stopped and with any number
// of workers.
func TestMemoryBoundsTheWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("seven and nine generations, twice")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the least memory follows from it
	bound := func(dir string, generations int) train.Options {
		o := options(dir, generations)
		c := &o.Config
		c.GamesPerGeneration, c.Selfplay.ConcurrentGames, c.Selfplay.CachePositions, c.Selfplay.Search.Simulations = 200, 2, 0, 2
		c.Replay.Window, c.Replay.SampleReuse, c.Learner.BatchSize, c.Memory = 1_000_000, 0.1, 8, train.CodeMemory+train.RuntimeMemory+2<<20
		c.Checkpoints = rundir.Retention{Last: 1}
		c.Duels.Share = 0
		return o
	}
	var log bytes.Buffer
	o := bound(t.TempDir(), 7)
	o.Events = logTo(&log)
	run(t, o)
	want := contents(t, o.Dir)
	require.Equal(t, 1, strings.Count(log.String(), "memory has no room for the whole window"), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "memory at most"))
	var last rundir.Metrics
	evicted := 0
	for line := range strings.Lines(want["metrics.jsonl"]) {
		require.NoError(t, json.Unmarshal([]byte(line), &last))
		require.GreaterOrEqual(t, last.TotalSamples-last.Window, evicted, "the left edge moves right only")
		evicted = last.TotalSamples - last.Window
	}
	require.Greater(t, last.Window, last.Samples, "the newest games are all there")
	require.Less(t, last.Window, last.TotalSamples*9/10)
	require.NotContains(t, want, filepath.Join("episodes", "000001.jsonl.zst"))

	pieces := bound(t.TempDir(), 0)
	for pieces.Generations = 1; pieces.Generations <= 7; pieces.Generations++ {
		pieces.Workers = 1 + pieces.Generations%2
		run(t, pieces)
	}
	requireSame(t, want, pieces.Dir)

	// What has left the window stays out of it with more memory, too.
	pieces.Config.Memory, pieces.Generations = 1<<30, 8
	run(t, pieces)
	data, err := os.ReadFile(filepath.Join(pieces.Dir, "metrics.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var next rundir.Metrics
	require.NoError(t, json.Unmarshal([]byte(lines[7]), &next))
	require.Equal(t, evicted, next.TotalSamples-next.Window)
}

// TestInterruptedWindow: a run evicts the same games when it is stopped as it begins to
// learn, so that all games of the generation are read again, as when it plays them. What
// it evicts depends on every byte, so several bounds are tried.
func TestInterruptedWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("six generations, sixteen times")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the least memory follows from it
	windows := func(dir string) (all []int) {
		data, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
		require.NoError(t, err)
		for line := range bytes.Lines(data) {
			var m rundir.Metrics
			require.NoError(t, json.Unmarshal(line, &m))
			all = append(all, m.Window)
		}
		return all
	}
	for i := range configs.Bytes(8) {
		bound := options(t.TempDir(), 6)
		c := &bound.Config
		c.GamesPerGeneration, c.Selfplay.ConcurrentGames, c.Selfplay.CachePositions, c.Selfplay.Search.Simulations = 200, 2, 0, 2
		c.Replay.Window, c.Replay.SampleReuse, c.Learner.BatchSize = 1_000_000, 0.1, 8
		c.Memory = train.CodeMemory + train.RuntimeMemory + 2<<20 - 488*i
		c.Checkpoints = rundir.Retention{Last: 1}
		c.Duels.Share = 0
		run(t, bound)
		want := windows(bound.Dir)

		bound.Dir = t.TempDir()
		played := true // in this process, the games of the generation
		bound.Events.Info = func(text string, _ ...any) { played = played && !strings.Contains(text, "already complete") }
		for err := train.ErrInterrupted; err != nil; {
			ctx, stop := context.WithCancel(t.Context())
			bound.Events.PhaseStart = func(p train.Phase) {
				if p.Name != train.PhaseLearn {
					return
				}
				if played {
					stop()
				}
				played = true
			}
			err = train.Run(ctx, bound)
			stop()
		}
		require.Equal(t, want, windows(bound.Dir), "memory is %d", c.Memory)
	}
}

// TestOneGenerationMustFit: a window without room for the newest games would
// learn from next to nothing. A run notices soon, and the games that it has played
// are not lost.
func TestOneGenerationMustFit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	o := options(t.TempDir(), 1)
	o.Config.GamesPerGeneration, o.Config.Selfplay.ConcurrentGames, o.Config.Selfplay.CachePositions = 800, 2, 0
	o.Config.Selfplay.Search.Simulations, o.Config.Learner.BatchSize, o.Config.Memory = 2, 8, train.CodeMemory+train.RuntimeMemory+2<<20
	o.Config.Duels.Share = 0 // which would need more memory than the games
	phase, played := "", 0
	o.Events.PhaseStart = func(p train.Phase) { phase = p.Name }
	o.Events.Progress = func(steps, _ int) {
		if phase == train.PhaseSelfplay {
			played += steps
		}
	}
	err := train.Run(context.Background(), o)
	require.ErrorContains(t, err, "memory is 42MiB, of which 512KiB are for games, but those of one generation take about ")
	require.ErrorContains(t, err, "or fewer games_per_generation")
	require.Less(t, played, 100, "it ended early")
	o.Config.Memory = least(t, err) + 1<<20
	run(t, o)
	require.Equal(t, 800, played, "no game is played twice")

	// The next generation is known to be as large before it begins.
	o.Config.Memory, o.Generations, played = train.CodeMemory+train.RuntimeMemory+2<<20, 2, 0
	err = train.Run(context.Background(), o)
	require.ErrorContains(t, err, "generation 2: memory is 42MiB, of which 512KiB are for games, but those of one generation take about ")
	require.Zero(t, played)
}

// size returns the bytes of checkpoints and episodes in a run folder.
func size(t *testing.T, dir string) (n int64) {
	for _, part := range []string{"checkpoints", "episodes"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(dir, part), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			n += info.Size()
			return err
		}))
	}
	return n
}

// TestDiskBoundsTheFolder: the folder is within its bound after every generation.
// The checkpoints that stay are evenly spaced, and the same however the run was
// stopped. Damaged files that were moved away do not count.
func TestDiskBoundsTheFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("seven and nine generations, twice")
	}
	bound := func(dir string, generations int) train.Options {
		o := options(dir, generations)
		o.Config.Checkpoints = rundir.Retention{Last: 2, Every: 1}
		o.Config.Disk = 310_000 // 5 checkpoints, the games, and what the next generation needs
		return o
	}
	o := bound(t.TempDir(), 9)
	o.Events = afterEach(func() {
		require.LessOrEqual(t, size(t, o.Dir), int64(o.Config.Disk))
	})
	run(t, o)
	want := contents(t, o.Dir)
	store := func(dir string) []string {
		entries, err := os.ReadDir(filepath.Join(dir, "checkpoints"))
		require.NoError(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	require.Equal(t, []string{"000000", "000004", "000006", "000008", "000009"}, store(o.Dir))

	pieces := bound(t.TempDir(), 1)
	run(t, pieces)
	damaged := filepath.Join(pieces.Dir, "damaged")
	require.NoError(t, os.Mkdir(damaged, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(damaged, "000001.jsonl.zst"), make([]byte, o.Config.Disk), 0o666))
	for pieces.Generations++; pieces.Generations <= 9; pieces.Generations++ {
		run(t, pieces)
	}
	require.NoError(t, os.RemoveAll(damaged))
	requireSame(t, want, pieces.Dir)

	// Less than what is in use.
	pieces.Config.Disk, pieces.Generations = 160_000, 10
	err := train.Run(context.Background(), pieces)
	require.ErrorContains(t, err, "disk is 160KB, but what the run needs to go on takes ")
	require.ErrorContains(t, err, "want more, or less of checkpoints.last, games_per_generation, generation_schedule or net")
	require.Equal(t, []string{"000008", "000009"}, store(pieces.Dir))
	pieces.Config.Disk = 20_000
	require.ErrorContains(t, train.Run(context.Background(), pieces), "disk is 20KB, but the newest 2 checkpoints and the one being written take ")
	pieces.Config.Disk = 0
	run(t, pieces)
}
