package recipe_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/recipe"
	"tiro/selfplay"
)

// TestForHours: the schedule for a CPU time is valid for each shipped configuration, and only
// long runs get a wider network.
func TestForHours(t *testing.T) {
	for _, game := range []string{"coerceo", "connect4", "go", "othello", "pacru", "tictactoe"} {
		c, err := recipe.Shipped(game)
		require.NoError(t, err)
		for _, hours := range []float64{0.01, 1, 4, 8, 24, 1000} {
			p := c.ForHours(hours)
			require.NoError(t, p.Validate())
			require.Equal(t, hours, p.CPUTime().Hours())
			require.Len(t, p.Selfplay.SimulationSchedule, len(c.Selfplay.SimulationSchedule))
			require.Equal(t, c.Selfplay.Search.Simulations, p.Selfplay.Simulations(1_000_000), "no step has begun")
			if hours <= 4 {
				require.Equal(t, c.Net, p.Net)
			}
		}
	}
	c, err := recipe.Shipped("coerceo")
	require.NoError(t, err)
	require.Equal(t, []int{64, 80, 96, 128}, []int{c.ForHours(4).Net.Channels, c.ForHours(8).Net.Channels, c.ForHours(24).Net.Channels, c.ForHours(64).Net.Channels})
	require.Equal(t, []selfplay.SimulationStep{{Share: 0.33, Simulations: 32}, {Share: 0.67, Simulations: 64}}, c.ForHours(1).Selfplay.SimulationSchedule)
	require.Equal(t, time.Hour, (&recipe.Config{CPUHours: 1}).CPUTime())
}

// TestBegin: a step of a schedule begins once, and a step that another one passes by is dropped.
func TestBegin(t *testing.T) {
	c := recipe.Default("mnk")
	c.CPUHours = 1
	c.Selfplay.SimulationSchedule = []selfplay.SimulationStep{{Generation: 2, Simulations: 20}, {Share: 0.2, Simulations: 50}, {Share: 0.4, Simulations: 70}, {Share: 0.6, Simulations: 90}}
	first := c
	require.NoError(t, c.Validate())
	require.Equal(t, 90, c.Selfplay.MaxSimulations())
	c.Begin(0.1, 9, 100)
	require.Equal(t, 20, c.Selfplay.Simulations(9))
	c.Begin(0.5, 10, 100)
	require.NoError(t, c.Validate())
	require.Equal(t, []selfplay.SimulationStep{{Generation: 2, Simulations: 20}, {Generation: 10, Simulations: 70}, {Share: 0.6, Simulations: 90}}, c.Selfplay.SimulationSchedule)
	require.Equal(t, 50, first.Selfplay.SimulationSchedule[1].Simulations, "the original is unchanged")
	c.Begin(0.7, 12, 100)
	require.Equal(t, []int{20, 70, 70, 90}, []int{c.Selfplay.Simulations(9), c.Selfplay.Simulations(10), c.Selfplay.Simulations(11), c.Selfplay.Simulations(12)})

	for key, wrong := range map[string]func(*recipe.Config){
		"share":                  func(c *recipe.Config) { c.Selfplay.SimulationSchedule[3].Share = 0.3 },
		"cpu_hours":              func(c *recipe.Config) { c.CPUHours = 0 },
		"learner.cooldown.share": func(c *recipe.Config) { c.Learner.Cooldown.Share = 1 },
		"learner.learning_rate_drops[0].share": func(c *recipe.Config) {
			c.Learner.LearningRateDrops = []recipe.Drop{{Share: -1, Factor: 0.5}}
		},
	} {
		bad := first
		bad.Selfplay.SimulationSchedule = append([]selfplay.SimulationStep(nil), first.Selfplay.SimulationSchedule...)
		wrong(&bad)
		require.ErrorContains(t, bad.Validate(), key)
	}
}
