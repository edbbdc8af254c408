package train

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/recipe"
	"tiro/selfplay"
)

// randomGames returns games of random moves.
func randomGames(t testing.TB, game env.Game, games int) []selfplay.Episode {
	c := selfplay.Default()
	c.Search.Simulations = 4
	c.TemperaturePlies = 1000
	episodes, _, err := selfplay.Play(context.Background(), selfplay.Job{
		Game: game, Config: c, Seed: 1, Games: games, Workers: 1,
		Evaluator: func() mcts.Evaluator { return mcts.Uniform{} },
	})
	require.NoError(t, err)
	return episodes
}

func gameOf(t testing.TB, name string) env.Game {
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

func TestLearningRate(t *testing.T) {
	l := recipe.Learner{LearningRate: 0.1, WarmupSteps: 4, LearningRateDrops: []recipe.Drop{{Step: 10, Factor: 0.5}, {Step: 20, Factor: 0.1}}}
	for step, want := range map[int]float64{0: 0.025, 1: 0.05, 3: 0.1, 4: 0.1, 9: 0.1, 10: 0.05, 19: 0.05, 20: 0.005, 1000: 0.005} {
		require.InDelta(t, want, learningRate(&l, moment{step: step}), 1e-12, "step %d", step)
	}
	require.InDelta(t, 0.1, learningRate(&recipe.Learner{LearningRate: 0.1}, moment{}), 1e-12)

	l = recipe.Learner{LearningRate: 0.1, Cooldown: recipe.Cooldown{After: 3, Generations: 2}}
	for _, c := range []struct {
		generation int
		part, want float64
	}{{3, 0.9, 0.1}, {4, 0, 0.1}, {4, 0.5, 0.075}, {5, 0, 0.05}, {5, 0.75, 0.0125}, {6, 0, 0.1}} {
		require.InDelta(t, c.want, learningRate(&l, moment{1000, c.generation, c.part}), 1e-12, "generation %d", c.generation)
	}
}
