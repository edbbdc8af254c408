package net_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/mnk"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
)

func TestPriors(t *testing.T) {
	legal := []env.Action{1, 2, 4}
	prior := make([]float32, 3)
	nan := float32(math.NaN())
	require.NoError(t, net.Priors(prior, []float32{nan, 0, float32(math.Log(2)), 99, 0}, legal))
	require.InDeltaSlice(t, []float32{0.25, 0.5, 0.25}, prior, 1e-6)

	require.NoError(t, net.Priors(prior, []float32{0, 3e38, -3e38, 0, -3e38}, legal), "no overflow")
	require.InDelta(t, 1, prior[0], 1e-6)
	require.Positive(t, prior[1], "no prior is 0")
	require.False(t, math.IsInf(math.Log(float64(prior[1])), 0))

	for _, broken := range []float32{nan, float32(math.Inf(1)), float32(math.Inf(-1))} {
		logits := []float32{0, broken, broken, 0, broken}
		require.Error(t, net.Priors(prior, logits, legal), "%v", broken)
		require.Error(t, net.Priors(prior, []float32{0, 1, broken, 0, 1}, legal), "%v", broken)
	}
}

func TestOutcomeView(t *testing.T) {
	sure := func(class, classes int) []float32 {
		logits := make([]float32, classes)
		logits[class] = 100
		return logits
	}
	tests := []struct {
		name    string
		logits  []float32
		players int
		want    env.View
	}{
		{"even", make([]float32, 3), 2, env.View{}},
		{"viewer wins", sure(0, 3), 2, env.View{1, -1}},
		{"viewer loses", sure(1, 3), 2, env.View{-1, 1}},
		{"draw", sure(2, 3), 2, env.View{}},
		{"second of three wins", sure(1, 4), 3, env.View{-0.5, 1, -0.5}},
		{"last of four wins", sure(3, 5), 4, env.View{-1. / 3, -1. / 3, -1. / 3, 1}},
		{"shares", []float32{float32(math.Log(6)), float32(math.Log(1)), float32(math.Log(3))}, 2, env.View{0.5, -0.5}},
		{"huge logits", []float32{3e38, 3e38, -3e38}, 2, env.View{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			view, err := net.OutcomeView(test.logits, test.players)
			require.NoError(t, err)
			require.InDeltaSlice(t, test.want[:], view[:], 1e-6)
		})
	}
	for _, broken := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := net.OutcomeView([]float32{0, float32(broken), 0}, 2)
		require.ErrorContains(t, err, "not finite")
	}
}

// leavesOf returns positions of game after 0, 1, 2, … first legal actions.
func leavesOf(game env.Game, n int) []*mcts.Leaf {
	var leaves []*mcts.Leaf
	for plies := range n {
		s := game.New()
		for range plies {
			s.Play(s.Legal(nil)[0])
		}
		legal := s.Legal(nil)
		leaves = append(leaves, &mcts.Leaf{State: s, Legal: legal, Prior: make([]float32, len(legal))})
	}
	return leaves
}

func ticTacToe(t testing.TB) env.Game {
	_, options, err := env.ParseName("mnk:m=3,n=3,k=3")
	require.NoError(t, err)
	game, err := mnk.New(options)
	require.NoError(t, err)
	return game
}

func TestEvaluatorEqualsReference(t *testing.T) {
	game := ticTacToe(t)
	spec := game.Spec()
	w := nettest.Weights(spec, net.Config{Channels: 5, Blocks: 1, Pool: true, OutcomeChannels: 2, Hidden: 6}, env.NewRand(1))
	reference := nettest.New(w)
	leaves := leavesOf(game, 5)
	evaluator := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 2)
	require.NoError(t, evaluator.Evaluate(context.Background(), leaves))
	for _, leaf := range leaves {
		x := make([]float32, spec.Inputs())
		leaf.State.Observe(x)
		policy, outcome := reference.Run(x)
		sum := 0.0
		for _, a := range leaf.Legal {
			sum += math.Exp(policy[a])
		}
		for i, a := range leaf.Legal {
			require.InDelta(t, math.Exp(policy[a])/sum, leaf.Prior[i], 1e-5)
		}
		total := math.Exp(outcome[0]) + math.Exp(outcome[1]) + math.Exp(outcome[2])
		mover := (math.Exp(outcome[0]) - math.Exp(outcome[1])) / total
		require.InDelta(t, mover, leaf.Value[leaf.State.Turn()], 1e-5)
		require.InDelta(t, -mover, leaf.Value[1-leaf.State.Turn()], 1e-5)
	}

	// The results do not depend on the batch.
	alone := leavesOf(game, 5)
	single := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 1)
	for i, leaf := range alone {
		require.NoError(t, single.Evaluate(context.Background(), alone[i:i+1]))
		require.Equal(t, leaves[i].Prior, leaf.Prior)
		require.Equal(t, leaves[i].Value, leaf.Value)
	}
}

// The viewer of a position is the player to move, also when one player moves several times in a
// row: component i of the view is the payoff of the i-th seat after the viewer.
func TestEvaluatorBySeat(t *testing.T) {
	game := envtest.MustTree(4, "b(b(a(d(d(d(c(a(AB)B)B)B)B)B)B)B)")
	spec := game.Spec()
	w := nettest.Weights(spec, net.Config{Channels: 5, Blocks: 1, OutcomeChannels: 2, Hidden: 6}, env.NewRand(1))
	reference := nettest.New(w)
	leaves := leavesOf(game, 8)
	require.NoError(t, net.NewEvaluator(game, net.Compile(kernel.Best(), w), 8).Evaluate(context.Background(), leaves))
	for i, turn := range []env.Player{1, 1, 0, 3, 3, 3, 2, 0} {
		require.Equal(t, turn, leaves[i].State.Turn())
		x := make([]float32, spec.Inputs())
		leaves[i].State.Observe(x)
		_, outcome := reference.Run(x)
		total := 0.0
		for _, logit := range outcome {
			total += math.Exp(logit)
		}
		draw := math.Exp(outcome[4]) / total
		for seat := range 4 {
			// p minus a third of the other wins, which sum to 1 - p - draw.
			p := math.Exp(outcome[(seat-int(turn)+4)%4]) / total
			require.InDelta(t, p-(1-p-draw)/3, leaves[i].Value[seat], 1e-5, "seat %d, turn of %d", seat, turn)
		}
	}
}

func TestEvaluatorFails(t *testing.T) {
	game := ticTacToe(t)
	w := nettest.Weights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1}, env.NewRand(1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 2).Evaluate(ctx, leavesOf(game, 1))
	require.ErrorIs(t, err, context.Canceled)

	w.Tensor("outcome.out.bias")[0] = float32(math.Inf(1))
	err = net.NewEvaluator(game, net.Compile(kernel.Best(), w), 2).Evaluate(context.Background(), leavesOf(game, 1))
	require.ErrorContains(t, err, "weights are broken")

	w = nettest.Weights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1}, env.NewRand(1))
	leaves := leavesOf(game, 1)
	leaves[0].State = unwritten{leaves[0].State}
	err = net.NewEvaluator(game, net.Compile(kernel.Best(), w), 2).Evaluate(context.Background(), leaves)
	require.ErrorContains(t, err, "the observation of "+leaves[0].State.String()+" is not finite")

	leaves = leavesOf(game, 1)
	leaves[0].Legal, leaves[0].Prior = nil, nil
	err = net.NewEvaluator(game, net.Compile(kernel.Best(), w), 2).Evaluate(context.Background(), leaves)
	require.ErrorContains(t, err, "no action is legal in "+leaves[0].State.String()+", but the game is not over")
}

// unwritten is a state whose observation has an element that is not a number.
type unwritten struct{ env.State }

func (s unwritten) Observe(x []float32) {
	s.State.Observe(x)
	x[3] = float32(math.NaN())
}

func TestEvaluatorDoesNotAllocate(t *testing.T) {
	game := ticTacToe(t)
	w := nettest.Weights(game.Spec(), net.Default(), env.NewRand(1))
	evaluator, leaves := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 4), leavesOf(game, 5)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if err := evaluator.Evaluate(context.Background(), leaves); err != nil {
			t.Fatal(err)
		}
	}))
}

func ExampleEvaluator() {
	_, options, _ := env.ParseName("mnk:m=3,n=3,k=3")
	game, _ := mnk.New(options)
	w := net.NewWeights(game.Spec(), net.Default(), env.NewRand(1))
	evaluator := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 64)

	state := game.New()
	legal := state.Legal(nil)
	leaf := &mcts.Leaf{State: state, Legal: legal, Prior: make([]float32, len(legal))}
	if err := evaluator.Evaluate(context.Background(), []*mcts.Leaf{leaf}); err != nil {
		panic(err)
	}
	fmt.Printf("%.3f %.1f\n", leaf.Prior, leaf.Value[:2])
	// Output: [0.111 0.111 0.111 0.111 0.111 0.111 0.111 0.111 0.111] [0.0 0.0]
}

func BenchmarkEvaluator(b *testing.B) {
	game := ticTacToe(b)
	w := nettest.Weights(game.Spec(), net.Default(), env.NewRand(1))
	evaluator := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 64)
	leaves := make([]*mcts.Leaf, 0, 64)
	for len(leaves) < 64 {
		leaves = append(leaves, leavesOf(game, 4)...)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := evaluator.Evaluate(context.Background(), leaves); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(leaves)*b.N)/b.Elapsed().Seconds(), "evals/s")
}
