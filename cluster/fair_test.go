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

// TestFair: eight worker processes whose goroutines differ are credited with all games and
// with their part of the evaluations, and the run equals one that one process has played.
// How far the parts may differ, over many generations, allows for a busy machine.
func TestFair(t *testing.T) { testFair(t, 12, 48, 0.3, 3) }

// TestChaosFair is TestFair with generations of about ten seconds and narrower bounds.
func TestChaosFair(t *testing.T) {
	if !long() {
		t.Skip("takes minutes: make chaos")
	}
	testFair(t, 4, 1500, 0.7, 1.4)
}

// testFair plays a run in which the parts of all generations but the first, together, must be
// between least and most.
func testFair(t *testing.T, generations, simulations int, least, most float64) {
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
		part := float64(evaluations[i]) / float64(all) * float64(sum) / float64(n)
		t.Logf("w%d has done %.2f of its part", i, part)
		require.Greater(t, part, least)
		require.Less(t, part, most)
	}
}
