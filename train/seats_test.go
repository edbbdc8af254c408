package train

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/replay"
	"tiro/selfplay"
)

// TestValuesReachTheirSeats: a network that has learned the games of a tree predicts each seat's
// payoff, from whichever seat it observes: from self-play through the buffer, targets and
// training to the values of a search. Whatever is played, c wins the first half of the tree, and
// a and b share the other half; turns have up to three actions.
func TestValuesReachTheirSeats(t *testing.T) {
	game := envtest.MustTree(3, "a( a(b(b(b(c(C))))) a(c(c(b(a([0.25,0.25,-0.5]))))) )")
	episodes, _, err := selfplay.Play(context.Background(), selfplay.Job{
		Game: game, Config: everything(), Seed: 1, Games: 64, Workers: 1,
		Evaluator: func() mcts.Evaluator { return mcts.Uniform{} },
	})
	require.NoError(t, err)
	buffer := replay.NewBuffer(game, replay.Keep{}, 0)
	buffer.Add(episodes)

	c := recipe.Default(game.Spec().Name).Learner
	c.BatchSize, c.LearningRate, c.WarmupSteps, c.SearchValueWeight = 64, 0.005, 0, 0
	w := net.NewWeights(game.Spec(), net.Config{Channels: 16, Blocks: 1, OutcomeChannels: 4, Hidden: 32}, env.NewRand(1))
	l, err := newLearner(&Options{Game: game, Config: recipe.Config{Learner: c}, Backend: kernel.Best()}, w)
	require.NoError(t, err)
	for step := range 2000 {
		l.fill(&buffer, env.NewRand(7, uint64(step)))
		_, err = l.step(moment{step: step}, nil)
		require.NoError(t, err)
	}

	solution, err := envtest.Solve(game, 100)
	require.NoError(t, err)
	evaluator := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 8)
	for _, s := range solution.States() {
		want, _ := solution.Value(s)
		legal := s.Legal(nil)
		if len(legal) == 0 || s.String() == "/" {
			continue // both halves are possible at the root
		}
		leaf := &mcts.Leaf{State: s, Legal: legal, Prior: make([]float32, len(legal))}
		require.NoError(t, evaluator.Evaluate(t.Context(), []*mcts.Leaf{leaf}))
		require.InDeltaSlice(t, want[:], leaf.Value[:], 0.15, "%s, seat %d on turn", s, s.Turn())
	}
}

// everything plays all games of a small tree.
func everything() selfplay.Config {
	c := selfplay.Default()
	c.Search.Simulations = 2
	c.TemperaturePlies, c.Temperature = 100, 100
	return c
}
