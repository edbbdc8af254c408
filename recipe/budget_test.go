package recipe_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// TestForHours: the settings for a CPU time are valid for each shipped configuration. Only long
// runs have a wider network and a longer simulation schedule.
func TestForHours(t *testing.T) {
	for _, game := range []string{"coerceo", "connect4", "go", "othello", "pacru", "tictactoe"} {
		c, err := recipe.Shipped(game)
		require.NoError(t, err)
		for _, hours := range []float64{0.01, 1, 4, 8, 24, 1000} {
			p := c.ForHours(hours)
			require.NoError(t, p.Validate())
			require.Equal(t, hours, p.CPUTime().Hours())
			require.Empty(t, p.Learner.LearningRateDrops)
			if hours <= 4 {
				require.Equal(t, c.Net, p.Net)
				require.Equal(t, c.Selfplay, p.Selfplay)
			}
		}
	}
	c, err := recipe.Shipped("coerceo")
	require.NoError(t, err)
	require.Equal(t, []int{64, 80, 96, 128}, []int{c.ForHours(4).Net.Channels, c.ForHours(8).Net.Channels, c.ForHours(24).Net.Channels, c.ForHours(64).Net.Channels})
	require.Equal(t, []selfplay.SimulationStep{{Generation: 540, Simulations: 32}, {Generation: 1100, Simulations: 64}}, c.ForHours(64).Selfplay.SimulationSchedule)
	require.Equal(t, 135, c.Selfplay.SimulationSchedule[0].Generation, "the original is unchanged")
	require.Equal(t, time.Hour, (&recipe.Config{CPUHours: 1}).CPUTime())
}

func TestCooldownShare(t *testing.T) {
	c := recipe.Default("mnk")
	c.Learner.Cooldown.Share = 0.2
	require.ErrorContains(t, c.Validate(), "cpu_hours")
	c.CPUHours = 1
	require.NoError(t, c.Validate())
	c.Learner.Cooldown.Share = 1
	require.ErrorContains(t, c.Validate(), "learner.cooldown.share")
}

// TestKeepPlan: a run keeps a cool-down that it has planned, but not one from generation 0 on, so
// that --set learner.cooldown.generations=0 cancels it.
func TestKeepPlan(t *testing.T) {
	for _, after := range []int{0, 4} {
		old, c := recipe.Default("mnk"), recipe.Default("mnk")
		old.Learner.Cooldown = recipe.Cooldown{After: after, Generations: 2}
		c.KeepPlan(&old, 5)
		require.Equal(t, after > 0, c.Learner.Cooldown == old.Learner.Cooldown)
	}
}

// TestLeft, by hand: a generation takes 10 s, 6 of them for self-play. From generation 4 on, twice
// as many games take 20 s, and from generation 6 on, with twice as many simulations, 32 s.
func TestLeft(t *testing.T) {
	c := recipe.Default("mnk")
	c.GamesPerGeneration, c.GenerationSchedule = 8, []recipe.GenerationStep{{Generation: 4, Games: 16}}
	c.Selfplay.Search.Simulations, c.Selfplay.SimulationSchedule = 16, []selfplay.SimulationStep{{Generation: 6, Simulations: 32}}
	newest := []rundir.Metrics{{Generation: 2, Games: 8, Simulations: 16, Machine: &rundir.Machine{CPUSeconds: 10, SelfplayCPUSeconds: 6}}}
	require.Equal(t, 10.0, c.Cost(newest, 3))
	for _, test := range []struct {
		seconds float64
		want    int
	}{{4, 0}, {5, 1}, {19, 1}, {20, 2}, {40, 3}, {65, 3}, {66, 4}, {10 + 20 + 20 + 3*32, 6}} {
		require.Equal(t, test.want, c.Left(newest, test.seconds), "%v seconds", test.seconds)
	}
	newest[0].Generation = 3
	require.Equal(t, 20.0, c.Cost(newest, 4))
	c.GivenGames = recipe.GivenGames{Generation: 3, Games: 1000}
	newest[0].Games, newest[0].Machine.SelfplayCPUSeconds = 1000, 0
	require.Equal(t, []float64{3, 10}, []float64{float64(c.Left(newest, 30)), c.Cost(newest, 4)}, "imported games are not played")
}
