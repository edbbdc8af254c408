package train

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
)

// Results that some seats share, as the rules pay them (n·share - 1)/(n-1), and
// payoffs that no wins add up to: the classes are a distribution that gives each
// winner the same, and nobody else anything.
func TestOutcomeOfSharedWins(t *testing.T) {
	const third, ninth = float32(1) / 3, float32(1) / 9
	tests := []struct {
		name   string
		result env.Value
		viewer env.Player
		want   []float32
	}{
		{"two of three", env.Value{-0.5, 0.25, 0.25}, 1, []float32{0.5, 0.5, 0, 0}},
		{"three of three", env.Value{}, 1, []float32{0, 0, 0, 1}},
		{"one of four", env.WinFor(0, 4), 3, []float32{0, 1, 0, 0, 0}},
		{"two of four", env.Value{third, -third, -third, third}, 1, []float32{0, 0, 0.5, 0.5, 0}},
		{"three of four", env.Value{ninth, ninth, -third, ninth}, 2, []float32{0, third, third, third, 0}},
		{"four of four", env.Value{}, 2, []float32{0, 0, 0, 0, 1}},
		{"two of three, less than a loss", env.Value{third, third, -2 * third}, 0, []float32{0.5, 0.5, 0, 0}},
		{"two of three, all that can be lost", env.Value{-1, 0.5, 0.5}, 0, []float32{0, 0.5, 0.5, 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := make([]float32, len(test.want))
			outcome(got, test.result, env.Value{}, 0, 1, test.viewer)
			require.InDeltaSlice(t, test.want, got, 1e-6)
		})
	}
}

// Each seat's chance goes to that seat's class, whoever has moved before and how
// often: a has two actions in a row, b three, c one, then a again. The result is
// a win that a and c share; the search expected a to win 2 of 3 games, b and c 1
// of 6 each. By hand, half of each: a 7/12, b 1/12, c 4/12.
func TestOutcomesAfterTurnsOfSeveralActions(t *testing.T) {
	const text = "a(a(b(b(b(c(a([0.25,-0.5,0.25] B) A) A) A) A) A) A)"
	game := envtest.MustTree(3, text)
	const a, b, c = 7. / 12, 1. / 12, 4. / 12
	want := [][]float32{{a, b, c, 0}, {a, b, c, 0}, {b, c, a, 0}, {b, c, a, 0}, {b, c, a, 0}, {c, a, b, 0}, {a, b, c, 0}}

	e := selfplay.Episode{Actions: make([]env.Action, 7), Result: env.Value{0.25, -0.5, 0.25}}
	for ply := range e.Actions {
		e.Samples = append(e.Samples, selfplay.Sample{Ply: ply, Policy: []selfplay.PolicyEntry{{Weight: selfplay.Scale}}, Value: env.Value{0.5, -0.25, -0.25}})
	}
	buffer := NewBuffer(game, 0)
	buffer.Add([]selfplay.Episode{e})
	l := newLearnerOf(t, game, 64)
	l.config.Discount, l.config.ValueShare = 1, 0.5
	l.fill(&buffer, 0, buffer.Len(), env.NewRand(1))

	spec := game.Spec()
	batch := l.trainer.Batch()
	s, x := game.New(), make([]float32, spec.Inputs())
	for ply := range e.Actions {
		s.Observe(x)
		found := 0
		for i := range 64 {
			if slices.Equal(x, batch.X[i*len(x):(i+1)*len(x)]) {
				require.InDeltaSlice(t, want[ply], batch.Outcome[i*4:(i+1)*4], 1e-6, "ply %d", ply)
				found++
			}
		}
		require.Positive(t, found)
		s.Play(0)
	}
}

// A network that has learned the games of a tree tells each seat's payoff, from
// whichever seat it looks: from self-play through records, targets and training
// to the values that a search is given. Whatever is played, c wins the first
// half of the tree and a and b share the other; turns hold up to three actions.
func TestValuesReachTheirSeats(t *testing.T) {
	game := envtest.MustTree(3, "a( a(b(b(b(c(C))))) a(c(c(b(a([0.25,0.25,-0.5]))))) )")
	episodes, _, err := selfplay.Play(context.Background(), selfplay.Job{
		Game: game, Config: everything(), Seed: 1, Games: 64, Workers: 1,
		Evaluator: func() mcts.Evaluator { return mcts.Uniform{} },
	})
	require.NoError(t, err)
	buffer := NewBuffer(game, 0)
	buffer.Add(episodes)

	c := Default(game.Spec().Name).Learner
	c.Batch, c.Rate, c.WarmUp, c.ValueShare = 64, 0.005, 0, 0
	w := net.NewWeights(game.Spec(), net.Config{Channels: 16, Blocks: 1, OutcomeChannels: 4, Hidden: 32}, env.NewRand(1))
	l, err := newLearner(game, c, kernel.Best(), w)
	require.NoError(t, err)
	_, err = l.learn(t.Context(), &buffer, 0, 2000, func(i int) *rand.Rand { return env.NewRand(7, uint64(i)) }, func() {})
	require.NoError(t, err)

	solution, err := envtest.Solve(game, 100)
	require.NoError(t, err)
	evaluator := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 8)
	for _, s := range solution.States() {
		want, _ := solution.Value(s)
		legal := s.Legal(nil)
		if len(legal) == 0 || s.String() == "/" {
			continue // at the root both halves are to come
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
