//go:build unix

package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/disk"
	"tiro/rundir"
	"tiro/train"
)

// TestFair: eight worker processes whose goroutines differ are credited with all games, each
// plays some, and the run equals one that one process has played. How even the parts are
// depends on the machine here: TestParts measures that with a clock of its own.
func TestFair(t *testing.T) {
	for _, part := range parts(t, 5, 48) {
		require.Positive(t, part)
	}
}

// TestChaosFair: in generations of about ten seconds, each worker does its part.
func TestChaosFair(t *testing.T) {
	if !long() {
		t.Skip("takes minutes: make chaos")
	}
	for _, part := range parts(t, 4, 1500) {
		require.Greater(t, part, 0.7)
		require.Less(t, part, 1.4)
	}
}

// parts plays a run and returns how much of its part each worker has done in all generations
// but the first, together.
func parts(t *testing.T, generations, simulations int) (parts []float64) {
	goroutines, sum := []int{1, 1, 1, 1, 2, 2, 4, 4}, 16
	run := training(t, t.TempDir(), generations)
	run.Config.GamesPerGeneration, run.Config.GenerationSchedule = 8*sum, nil
	run.Config.Selfplay.ConcurrentGames, run.Config.Selfplay.Search.Simulations = 16, simulations
	run.Config.Duels.Share = 0
	alone := run
	alone.Dir = t.TempDir()
	want := calm(t, alone)
	joined := make(chan struct{}) // so that no worker is too late for the second generation
	run.Events = func(e train.Event) {
		if p, ok := e.(train.Phase); ok && p.Name == train.PhaseLearn {
			<-joined
		}
	}
	f := start(t, run, func(o *cluster.Options) {
		o.Twice, o.Lease = cluster.DefaultTwice, cluster.DefaultLease
	})
	logs := t.TempDir()
	for i, n := range goroutines {
		p := begin(t, role{Kind: "worker", Name: fmt.Sprint("w", i), URL: f.url, Goroutines: n}, logs)
		t.Cleanup(p.kill)
	}
	require.Eventually(t, func() bool { return strings.Count(f.notes.all(), "a worker has joined") == len(goroutines) }, 3*time.Minute, 10*time.Millisecond)
	close(joined)
	require.NoError(t, <-f.done)
	requireSame(t, want, f.dir)
	lines, err := rundir.At(disk.OS{}, f.dir).Metrics()
	require.NoError(t, err)
	all, evaluations := 0, make([]int, len(goroutines))
	for _, line := range lines[1:] {
		games := 0
		require.Len(t, line.Machine.Players, len(goroutines))
		for i, p := range line.Machine.Players {
			require.Equal(t, goroutines[i], p.Workers)
			games += p.Games
			all += p.Evaluations
			evaluations[i] += p.Evaluations
			t.Logf("generation %d: %s has played %d games with %d evaluations", line.Generation, p.Name, p.Games, p.Evaluations)
		}
		require.Equal(t, 8*sum, games)
	}
	for i, n := range goroutines {
		parts = append(parts, float64(evaluations[i])/float64(all)*float64(sum)/float64(n))
		t.Logf("w%d has done %.2f of its part", i, parts[i])
	}
	return parts
}
