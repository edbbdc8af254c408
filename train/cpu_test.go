package train_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// TestCPUTime: the CPU time of a generation is measured from the end of the previous one to its
// own end. It includes playing and learning, and the other players' time.
func TestCPUTime(t *testing.T) {
	cpu := time.Hour // CPU time of the program before the run
	o := options(t.TempDir(), 2)
	o.CPU = func() time.Duration { cpu += time.Second; return cpu }
	o.Selfplayer = playFunc(func(ctx context.Context, games train.Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Contribution, error) {
		episodes, stats, err := selfplay.Play(ctx, games.Job)
		return episodes, stats, []rundir.Contribution{{Name: rundir.Trainer, CPUSeconds: 1}, {Name: "a", CPUSeconds: 2}, {Name: "b", CPUSeconds: 8}}, err
	})
	var got []rundir.Machine
	o.Events = on(func(m train.Completed) { got = append(got, *m.Machine) })
	run(t, o)
	require.Len(t, got, 2)
	for _, m := range got {
		require.Equal(t, []float64{15, 11, 1}, []float64{m.CPUSeconds, m.SelfplayCPUSeconds, m.LearnCPUSeconds})
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
		o.Config.CPUHours = limit.Hours()
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
	require.ErrorContains(t, o.Validate(), "cpu_hours")
}

// TestCooldownOfUnknownCost: the learning rate does not fall while the cost of a generation is
// unknown, as after a kill between the first checkpoint and its metrics.
func TestCooldownOfUnknownCost(t *testing.T) {
	o := options(t.TempDir(), 1)
	run(t, o)
	cpu := time.Duration(0)
	o.CPU = func() time.Duration { cpu += time.Second; return cpu } // 5 s per generation
	o.Generations, o.Config.CPUHours, o.Config.Learner.Cooldown.Share = 3, 1, 0.2
	run(t, o)
	config, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
	require.NoError(t, err)
	require.Zero(t, config.Learner.Cooldown.Generations)
}

// TestCooldownAfterDuels: a generation with duels does not make the cool-down shorter.
func TestCooldownAfterDuels(t *testing.T) {
	o := options(t.TempDir(), 0)
	o.Config.CPUHours, o.Config.Learner.Cooldown.Share = 40.0/3600, 0.25
	var cpu time.Duration
	generation := 0
	o.Events = on(func(m train.Completed) { generation = m.Generation })
	o.CPU = func() time.Duration { // 5 s per generation, 10 s in generation 5
		cpu += time.Second
		if generation == 4 {
			cpu += time.Second
		}
		return cpu
	}
	run(t, o)
	config, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
	require.NoError(t, err)
	require.Equal(t, recipe.Cooldown{Share: 0.25, After: 5, Generations: 2}, config.Learner.Cooldown)
}

// TestCooldownAfterMoreGames: the number of generations in the cool-down follows from the cost with
// twice as many games, which only the newest generation has, or only later ones, because the number
// was changed when the run resumed.
func TestCooldownAfterMoreGames(t *testing.T) {
	for _, test := range []struct {
		resumed bool
		seconds float64
		want    recipe.Cooldown
	}{
		{false, 60, recipe.Cooldown{Share: 0.5, After: 5, Generations: 3}},
		{true, 40, recipe.Cooldown{Share: 0.5, After: 4, Generations: 2}},
	} {
		o := options(t.TempDir(), 4)
		var cpu time.Duration
		generation := 0
		o.Events = on(func(m train.Completed) { generation = m.Generation })
		o.CPU = func() time.Duration { // 5 s per generation, 10 s from generation 5 on
			cpu += time.Second
			if generation >= 4 {
				cpu += time.Second
			}
			return cpu
		}
		o.Config.CPUHours, o.Config.Learner.Cooldown.Share = test.seconds/3600, 0.5
		if games := 2 * o.Config.GamesPerGeneration; test.resumed {
			run(t, o)
			o.Config.GamesPerGeneration = games
		} else {
			o.Config.GenerationSchedule = []recipe.GenerationStep{{Generation: 5, Games: games}}
		}
		o.Generations = 0
		run(t, o)
		config, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
		require.NoError(t, err)
		require.Equal(t, test.want, config.Learner.Cooldown)
	}
}

// TestCooldownOfShortRun: a run of few generations ends with a cool-down, wherever the limit is
// within a generation.
func TestCooldownOfShortRun(t *testing.T) {
	for limit := 10; limit < 15; limit++ {
		o := options(t.TempDir(), 0)
		o.Config.CPUHours, o.Config.Learner.Cooldown.Share = float64(limit)/3600, 0.15
		var cpu time.Duration
		o.CPU = func() time.Duration { cpu += time.Second; return cpu } // 5 s per generation
		run(t, o)
		config, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
		require.NoError(t, err)
		last := int(math.Round(float64(limit) / 5))
		require.Equal(t, recipe.Cooldown{Share: 0.15, After: last - 1, Generations: 1}, config.Learner.Cooldown, "%d seconds", limit)
	}
}

// TestMoreCPUTime: a run that has ended continues with slightly more CPU time, and the learning
// rate falls again.
func TestMoreCPUTime(t *testing.T) {
	for _, fresh := range []bool{false, true} { // whether the run is resumed with its first configuration or its newest
		o := options(t.TempDir(), 0)
		first := o.Config
		first.Learner.Cooldown.Share = 0.25
		var cpu time.Duration
		o.CPU = func() time.Duration { cpu += time.Second; return cpu } // 5 s per generation
		for _, test := range []struct {
			seconds  float64
			cooldown recipe.Cooldown
		}{
			{40, recipe.Cooldown{Share: 0.25, After: 6, Generations: 2}},
			{46, recipe.Cooldown{Share: 0.25, After: 8, Generations: 1}},
			{46, recipe.Cooldown{Share: 0.25, After: 8, Generations: 1}},
			{60, recipe.Cooldown{Share: 0.25, After: 9, Generations: 3}},
		} {
			if o.Config = first; !fresh && test.seconds > 40 {
				var err error
				o.Config, err = recipe.Read(rundir.At(disk.OS{}, o.Dir))
				require.NoError(t, err)
			}
			o.Config.CPUHours = test.seconds / 3600
			run(t, o)
			config, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
			require.NoError(t, err)
			require.Equal(t, test.cooldown, config.Learner.Cooldown, "%v seconds", test.seconds)
			lines, err := rundir.At(disk.OS{}, o.Dir).Metrics()
			require.NoError(t, err)
			require.Len(t, lines, test.cooldown.Last())
		}
	}
}

// TestPlannedRun: a run of a given CPU time ends with a learning rate of 0. Restarted with its
// first configuration, in any part of it, it keeps the plan in its folder, and at the end it plans
// nothing more. The configuration that it ends with gives the same run without a clock.
func TestPlannedRun(t *testing.T) {
	planned := options(t.TempDir(), 0)
	planned.Config.CPUHours = 40.0 / 3600
	planned.Config.Learner.Cooldown.Share = 0.25
	var cpu time.Duration
	planned.CPU = func() time.Duration { cpu += time.Second; return cpu } // 5 s per generation
	run(t, planned)
	want := contents(t, planned.Dir)
	config, err := recipe.Read(rundir.At(disk.OS{}, planned.Dir))
	require.NoError(t, err)
	require.Equal(t, recipe.Cooldown{Share: 0.25, After: 6, Generations: 2}, config.Learner.Cooldown)

	for _, at := range []int{1, 4, 7} {
		planned.Dir = t.TempDir()
		interrupted := planned
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		interrupted.Events = on(func(m train.Completed) {
			if m.Generation == at {
				stop()
			}
		})
		require.ErrorIs(t, train.Run(ctx, interrupted), train.ErrInterrupted)
		run(t, planned)
		run(t, planned)
		requireSame(t, want, planned.Dir)
	}

	again := options(t.TempDir(), 8)
	again.Config = config
	again.Config.CPUHours, again.Config.Learner.Cooldown.Share = 0, 0
	run(t, again)
	weights := func(dir string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, "checkpoints", "000008", "weights.safetensors"))
		require.NoError(t, err)
		return data
	}
	require.Equal(t, weights(planned.Dir), weights(again.Dir))
}
