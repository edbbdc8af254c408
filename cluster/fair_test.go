package cluster_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/disk"
	"tiro/rundir"
)

// TestFair: of eight workers whose goroutines differ, each plays its part of every
// generation, and the run is as if one process had played it. How far the parts may be
// apart allows for a machine that is busy with other things.
func TestFair(t *testing.T) {
	const generations = 4
	goroutines := []int{1, 1, 1, 1, 2, 2, 4, 4}
	run := training(t, t.TempDir(), generations)
	run.Config.GamesPerGeneration, run.Config.GenerationSchedule = 128, nil
	run.Config.Selfplay.ConcurrentGames, run.Config.Selfplay.Search.Simulations = 16, 48
	run.Config.Duels.Share = 0
	alone := run
	alone.Dir = t.TempDir()
	want := calm(t, alone)
	f := start(t, run, func(o *cluster.Options) { o.Gather, o.Twice = cluster.DefaultGather, cluster.DefaultTwice })
	for i, n := range goroutines {
		f.worker(fmt.Sprint("w", i), func(o *cluster.WorkerOptions) { o.Workers = n })
	}
	require.NoError(t, <-f.done)
	requireSame(t, want, f.dir)
	lines, err := rundir.At(disk.OS{}, f.dir).Metrics()
	require.NoError(t, err)
	for _, line := range lines {
		players, games, evaluations := line.Machine.Players, 0, 0
		require.Len(t, players, len(goroutines))
		for _, p := range players {
			games += p.Games
			evaluations += p.Evaluations
		}
		require.Equal(t, 128, games)
		for i, p := range players {
			require.Equal(t, goroutines[i], p.Workers)
			part := float64(p.Evaluations) / float64(evaluations) * 16 / float64(p.Workers)
			t.Logf("generation %d: %s has played %d games and %.2f of its part of the evaluations", line.Generation, p.Name, p.Games, part)
			require.Greater(t, part, 0.4)
			require.Less(t, part, 2.0)
		}
	}
}
