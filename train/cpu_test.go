package train_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// TestCPUTime: the CPU time of a generation is measured from the end of the previous one to its
// own end. It includes playing and learning.
func TestCPUTime(t *testing.T) {
	cpu := time.Hour // CPU time of the program before the run
	o := options(t.TempDir(), 2)
	o.CPU = func() time.Duration { cpu += time.Second; return cpu }
	var got []rundir.Machine
	o.Events = on(func(m train.Completed) { got = append(got, *m.Machine) })
	run(t, o)
	require.Len(t, got, 2)
	for _, m := range got {
		require.Equal(t, []float64{5, 1, 1}, []float64{m.CPUSeconds, m.SelfplayCPUSeconds, m.LearnCPUSeconds})
		require.True(t, m.Covered())
	}
}

// TestEarlierGames: the metrics of a process do not describe games of an earlier process.
func TestEarlierGames(t *testing.T) {
	stop := errors.New("stop")
	now := time.Time{}
	clock := func() time.Time { now = now.Add(time.Second); return now }
	for _, at := range []struct {
		name  string
		phase string
		rate  bool
	}{{"while games are played", train.PhaseSelfplay, true}, {"after all games", train.PhaseLearn, false}} {
		t.Run(at.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			o := options(t.TempDir(), 1)
			o.Workers = 1
			phase, games := "", 0
			o.Events = both(on(func(p train.Phase) {
				if phase = p.Name; phase == at.phase && phase == train.PhaseLearn {
					cancel(stop)
				}
			}), on(func(a train.Advanced) {
				if games += a.Steps; phase == at.phase && games == 3 {
					cancel(stop)
				}
			}))
			require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)

			var got *rundir.Machine
			o.Events, o.Clock = on(func(m train.Completed) { got = m.Machine }), clock
			run(t, o)
			require.False(t, got.Covered())
			require.GreaterOrEqual(t, got.EarlierGames, 3)
			require.Equal(t, at.rate, got.EvaluationsPerSecond > 0)
			require.Equal(t, at.rate, got.Evaluations > 0)
		})
	}
}

// TestCPULimit: a run ends with the generation that ends nearest to the CPU time limit. CPU time
// before it was resumed counts, other CPU time of the program does not.
func TestCPULimit(t *testing.T) {
	cpu := time.Hour // CPU time of the program before the run
	o := options(t.TempDir(), 0)
	o.CPU = func() time.Duration { cpu += time.Second; return cpu } // 5 s per generation
	generations := func(limit time.Duration) int {
		o.CPUTime = limit
		run(t, o)
		lines, err := rundir.At(disk.OS{}, o.Dir).Metrics()
		require.NoError(t, err)
		return len(lines)
	}
	require.Equal(t, 2, generations(12*time.Second))
	require.Equal(t, 2, generations(12*time.Second), "again")
	require.Equal(t, 3, generations(13*time.Second))
	cpu += time.Hour
	require.Equal(t, 6, generations(30*time.Second))

	o.CPU = nil
	require.ErrorContains(t, o.Validate(), "CPU time limit is 30s")
}

// TestCooldownOfUnknownCost: the learning rate does not fall while the cost of a generation is
// unknown, as in a fork, or after a kill between the first checkpoint and its metrics.
func TestCooldownOfUnknownCost(t *testing.T) {
	o := options(t.TempDir(), 1)
	run(t, o)
	cpu := time.Duration(0)
	o.CPU = func() time.Duration { cpu += time.Second; return cpu } // 5 s per generation
	o.Generations, o.CPUTime, o.Cooldown = 3, time.Hour, 0.2
	run(t, o)
	config, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
	require.NoError(t, err)
	require.Zero(t, config.Learner.Cooldown)
}

// TestInterruptedCooldown: a training that is restarted with the same options during its
// cool-down continues the plan in its folder, and does not plan another cool-down after the end.
func TestInterruptedCooldown(t *testing.T) {
	for _, limit := range []struct {
		name        string
		generations int
		cpu         time.Duration
	}{{"generations", 6, 0}, {"CPU time", 0, 30 * time.Second}} {
		t.Run(limit.name, func(t *testing.T) {
			planned := options(t.TempDir(), limit.generations)
			planned.CPUTime, planned.Cooldown = limit.cpu, 0.7
			var cpu time.Duration
			planned.CPU = func() time.Duration { cpu += time.Second; return cpu } // 5 s per generation
			run(t, planned)
			want := contents(t, planned.Dir)

			planned.Dir = t.TempDir()
			interrupted := planned
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			interrupted.Events = on(func(m train.Completed) {
				if m.Generation == 4 {
					stop()
				}
			})
			require.ErrorIs(t, train.Run(ctx, interrupted), train.ErrInterrupted)
			run(t, planned)
			run(t, planned)
			requireSame(t, want, planned.Dir)
		})
	}
}
