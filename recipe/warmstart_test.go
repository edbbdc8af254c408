package recipe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// TestAfter: schedules continue where they were, although generations and steps are counted
// from 0.
func TestAfter(t *testing.T) {
	c := recipe.Default("mnk")
	c.Selfplay.Search.Simulations = 16
	c.Selfplay.SimulationSchedule = []selfplay.SimulationStep{{Generation: 2, Simulations: 24}, {Generation: 10, Simulations: 32}, {Generation: 20, Simulations: 64}}
	c.Selfplay.GameSchedule = []selfplay.GameStep{{Generation: 0, Options: "k=2"}, {Generation: 15, Options: ""}}
	c.GamesPerGeneration = 4
	c.GenerationSchedule = []recipe.GenerationStep{{Generation: 1, Games: 8}, {Generation: 12, Games: 16}}
	c.Learner.BatchSize, c.Replay.SampleReuse = 100, 4
	c.Learner.LearningRateDrops = []recipe.Drop{{Step: 300, Factor: 0.5}, {Step: 1000, Factor: 0.25}}
	c.Learner.Cooldown = recipe.Cooldown{After: 30, Generations: 5}
	before := c
	for _, done := range []int{0, 1, 2, 9, 10, 14, 15, 19, 20, 25, 30} {
		left := c.After(done, 10_000)
		require.NoError(t, left.Validate(), done)
		for g := range 40 {
			require.Equal(t, c.Selfplay.Simulations(done+g), left.Selfplay.Simulations(g), "%d after %d", g, done)
			require.Equal(t, c.Games(done+g), left.Games(g), "%d after %d", g, done)
			require.Equal(t, c.Selfplay.GameOptions(done+g), left.Selfplay.GameOptions(g), "%d after %d", g, done)
			require.InDelta(t, c.Learner.Cooldown.Factor(done+g+1, 0.5), left.Learner.Cooldown.Factor(g+1, 0.5), 0)
		}
		require.Equal(t, []recipe.Drop{{Step: 0, Factor: 0.5}, {Step: 600, Factor: 0.25}}, left.Learner.LearningRateDrops, "after 400 steps")
	}
	require.Equal(t, before, c, "the old configuration is unchanged")
	require.Zero(t, c.After(31, 0).Learner.Cooldown, "a cooldown in progress is dropped")
	require.Equal(t, c, c.After(0, 0))
	c.Learner.Cooldown = recipe.Cooldown{Share: 0.3, After: 92, Generations: 41}
	require.Equal(t, recipe.Cooldown{Share: 0.3}, c.After(60, 0).Learner.Cooldown, "the CPU time is counted from 0")
}

// TestWarmStartFailsWhole: a warm start is created completely or not at all.
func TestWarmStartFailsWhole(t *testing.T) {
	requireWhole(t, func(memory disk.FS) (func(disk.FS, string) error, func(rundir.Folder)) {
		other := small(t, memory)
		checkpoint, err := other.From.Store(other.Game.Spec()).Load(0)
		require.NoError(t, err)
		text, err := disk.ReadFile(memory, other.From.Path(rundir.ConfigFile), 1<<20)
		require.NoError(t, err)
		s := recipe.WarmStart{
			Game: other.Game, Config: other.Config, Checkpoint: checkpoint,
			Origins: []card.Origin{{Game: other.Config.Game, Config: string(text), Network: &card.Cost{}}},
		}
		write := func(fsys disk.FS, dir string) error { return s.Write(t.Context(), fsys, dir) }
		return write, func(folder rundir.Folder) {
			origins, err := recipe.Origins(folder)
			require.NoError(t, err)
			require.Equal(t, s.Origins, origins)
			_, _, err = rundir.OpenNetwork(memory, folder.Path(), games.New)
			require.NoError(t, err)
		}
	})
}
