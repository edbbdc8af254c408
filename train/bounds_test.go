package train_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/disk"
	"tiro/env/envtest"
	"tiro/rundir"
	"tiro/train"
)

// TestMemoryIsCheckedFirst: a run that may not fit into memory is refused with a list of its
// parts and the setting to lower, and no files are made.
func TestMemoryIsCheckedFirst(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "run"), 1)
	o.Config.Memory = train.CodeMemory + train.RuntimeMemory + 1<<20
	err := train.Run(context.Background(), o)
	require.ErrorContains(t, err, "memory is 41MiB")
	for _, part := range []string{"search trees ", "caches ", "evaluators ", "learner ", "window of games "} {
		require.ErrorContains(t, err, part)
	}
	require.NoDirExists(t, o.Dir)
	require.EqualError(t, err, "train: "+o.Dir+": "+o.Validate().Error())

	o.Config.Memory = least(t, err)
	require.NoError(t, o.Validate())
	o.Config.Learner.BatchSize = 1 << 16
	require.ErrorContains(t, o.Validate(), "lower learner.batch_size")
	o.Config.Learner.BatchSize, o.Config.Selfplay.Search.MaxNodes, o.Config.Duels.Share = 8, 1<<20, 0
	require.ErrorContains(t, o.Validate(), "lower selfplay.concurrent_games")
}

// TestOwnershipIsCheckedFirst: the game of a tree has no ownership targets.
func TestOwnershipIsCheckedFirst(t *testing.T) {
	o := options(t.TempDir(), 1)
	o.Game = envtest.MustTree(2, "(AB)")
	require.NoError(t, o.Validate())
	o.Config.Net.Ownership = true
	require.ErrorContains(t, o.Validate(), "net.ownership is true but must be false")
}

// least returns the limit that an error asks for.
func least(t *testing.T, err error) (b configs.Bytes) {
	found := regexp.MustCompile(`needs up to (\w+):`).FindStringSubmatch(err.Error())
	require.NotNil(t, found, err.Error())
	require.NoError(t, b.UnmarshalText([]byte(found[1])))
	return b
}

// TestMemoryBoundsTheWindow: with little memory the window of games is short. This is reported
// once, and the window is the same however the run was stopped and with any number of workers.
func TestMemoryBoundsTheWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("seven and eight generations of 600 games")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the lowest possible limit depends on it
	bound := func(dir string, generations int) train.Options {
		o := options(dir, generations)
		c := &o.Config
		c.GamesPerGeneration, c.Selfplay.ConcurrentGames, c.Selfplay.CachePositions, c.Selfplay.Search.Simulations = 600, 2, 0, 2
		c.Replay.Window, c.Replay.SampleReuse, c.Learner.BatchSize, c.Memory = 1_000_000, 0.1, 8, train.CodeMemory+train.RuntimeMemory+4<<20+1<<18
		c.Checkpoints = rundir.Retention{Last: 1}
		c.Duels.Share = 0
		return o
	}
	var log bytes.Buffer
	o := bound(t.TempDir(), 7)
	o.Events = logTo(&log)
	run(t, o)
	want := contents(t, o.Dir)
	require.Equal(t, 1, strings.Count(log.String(), "the memory limit shortens the window"), log.String())
	windows := metricsOf(t, o.Dir)
	evicted := windows[6].TotalSamples - windows[6].Window
	require.Positive(t, evicted)
	require.Greater(t, windows[6].Window, windows[6].Samples, "the window has all of the newest games")
	require.NotContains(t, want, filepath.Join("episodes", "000001.jsonl.zst"))

	pieces := bound(t.TempDir(), 7)
	for err := train.ErrInterrupted; err != nil; pieces.Workers = 3 - pieces.Workers {
		ctx, stop := context.WithCancel(t.Context())
		played := false // in this process; if it is stopped at the start of learning, the games are read again
		pieces.Events = both(on(func(train.Advanced) { played = true }), on(func(p train.Phase) {
			if p.Name == train.PhaseLearn && played {
				stop()
			}
		}))
		err = train.Run(ctx, pieces)
		stop()
	}
	requireSame(t, want, pieces.Dir)

	// Evicted games stay out of the window with a higher limit.
	pieces.Events = nil
	pieces.Config.Memory, pieces.Generations = 1<<30, 8
	run(t, pieces)
	next := metricsOf(t, pieces.Dir)[7]
	require.Equal(t, evicted, next.TotalSamples-next.Window)
}

// metricsOf returns the metrics of a run.
func metricsOf(t *testing.T, dir string) []rundir.Metrics {
	metrics, err := rundir.At(disk.OS{}, dir).Metrics()
	require.NoError(t, err)
	return metrics
}

// size returns the size of checkpoints and episodes in a run folder.
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

// TestDiskBoundsTheFolder: the folder is within its limit after every generation. The newest
// checkpoints are kept, and they are the same however the run was stopped. Damaged files that
// were moved away do not count.
func TestDiskBoundsTheFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("seven and nine generations, twice")
	}
	bound := func(dir string, generations int) train.Options {
		o := options(dir, generations)
		o.Config.Checkpoints = rundir.Retention{Last: 2, Every: 1}
		o.Config.Disk = 278_000 // 5 checkpoints, the games, and room for the next generation
		return o
	}
	o := bound(t.TempDir(), 9)
	o.Events = afterEach(func() {
		require.LessOrEqual(t, size(t, o.Dir), int64(o.Config.Disk))
	})
	run(t, o)
	want := contents(t, o.Dir)
	require.Equal(t, []string{"000000", "000007", "000008", "000009"}, checkpointsOf(t, o.Dir))

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
}

// checkpointsOf returns the names of a run's checkpoints.
func checkpointsOf(t *testing.T, dir string) (names []string) {
	entries, err := os.ReadDir(filepath.Join(dir, "checkpoints"))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestDiskBudgetStops: if the disk budget has no room for another generation, the run stops
// between generations, keeps all files in use, and continues with a larger budget.
func TestDiskBudgetStops(t *testing.T) {
	o := options(t.TempDir(), 3)
	o.Config.Checkpoints = rundir.Retention{Last: 2, Every: 1}
	run(t, o)
	want := contents(t, o.Dir)["metrics.jsonl"]

	o.Config.Disk, o.Generations = 82_000, 4
	err := train.Run(context.Background(), o)
	require.ErrorIs(t, err, rundir.ErrDiskBudget)
	halt, ok := errors.AsType[*train.Halt](err)
	require.True(t, ok)
	require.Equal(t, 3, halt.Checkpoint)
	require.Equal(t, []string{"000002", "000003"}, checkpointsOf(t, o.Dir))
	require.Equal(t, want, contents(t, o.Dir)["metrics.jsonl"])

	o.Config.Disk = 20_000 // not enough for two checkpoints
	require.ErrorIs(t, train.Run(context.Background(), o), rundir.ErrDiskBudget)
	o.Config.Disk = 0
	run(t, o)
}
