package recipe_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/recipe"
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
