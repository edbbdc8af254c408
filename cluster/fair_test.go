//go:build unix

package cluster_test

import (
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
func TestFair(t *testing.T) { testFair(t, 12, 96, 0.3, 3) }

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
	goroutines := map[string]int{"w0": 1, "w1": 1, "w2": 1, "w3": 1, "w4": 2, "w5": 2, "w6": 4, "w7": 4}
	const sum = 16
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
	for name, n := range goroutines {
		p := begin(t, role{Kind: "worker", Name: name, URL: f.url, Goroutines: n}, logs)
		t.Cleanup(p.kill)
	}
	require.Eventually(t, func() bool { return strings.Count(f.notes.all(), "a worker has joined") == len(goroutines) }, 3*time.Minute, 10*time.Millisecond)
	close(joined)
	require.NoError(t, <-f.done)
	requireSame(t, want, f.dir)
	lines, err := rundir.At(disk.OS{}, f.dir).Metrics()
	require.NoError(t, err)
	all, evaluations := 0, map[string]int{}
	for _, line := range lines[1:] {
		games := 0
		for _, p := range line.Machine.Players { // a process that waits for the machine may miss a short generation
			require.Equal(t, goroutines[p.Name], p.Workers)
			games += p.Games
			all += p.Evaluations
			evaluations[p.Name] += p.Evaluations
			t.Logf("generation %d: %s has played %d games with %d evaluations", line.Generation, p.Name, p.Games, p.Evaluations)
		}
		require.Equal(t, 8*sum, games)
	}
	for name, n := range goroutines {
		part := float64(evaluations[name]) / float64(all) * sum / float64(n)
		t.Logf("%s has done %.2f of its part", name, part)
		require.Greater(t, part, least)
		require.Less(t, part, most)
	}
}
