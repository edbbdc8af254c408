package mcts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/envtest"
)

// writeTree writes a random tree for envtest.Tree.
func writeTree(b *strings.Builder, rng *rand.Rand, players, depth int) {
	if depth == 0 || rng.IntN(5) == 0 {
		switch k := rng.IntN(players + 2); {
		case k < players:
			b.WriteByte("ABCD"[k])
		case k == players:
			b.WriteByte('=')
		default:
			x := []string{"0.5", "-0.5", "0", "0"}
			rng.Shuffle(players, func(i, j int) { x[i], x[j] = x[j], x[i] })
			if players == 2 {
				x = []string{"0.25", "-0.25"}
			}
			sum := 0.0
			for _, v := range x[:players] {
				var f float64
				fmt.Sscan(v, &f)
				sum += f
			}
			if sum != 0 {
				b.WriteByte('=')
				return
			}
			b.WriteString("[" + strings.Join(x[:players], ",") + "]")
		}
		return
	}
	b.WriteByte("abcd"[rng.IntN(players)])
	b.WriteByte('(')
	for range 1 + rng.IntN(4) {
		writeTree(b, rng, players, depth-1)
	}
	b.WriteByte(')')
}

func randomTree(t require.TestingT, rng *rand.Rand, players int) (env.Game, string) {
	var b strings.Builder
	b.WriteByte("abcd"[rng.IntN(players)])
	b.WriteByte('(')
	for range 2 + rng.IntN(4) {
		writeTree(&b, rng, players, 4)
	}
	b.WriteByte(')')
	game, err := envtest.Tree(players, b.String())
	require.NoError(t, err)
	return game, b.String()
}

func randomConfig(t *rapid.T) Config {
	c := Default()
	c.Root = rapid.SampledFrom([]string{RootGumbel, RootImproved, RootPUCT}).Draw(t, "root")
	c.Simulations = rapid.IntRange(1, 60).Draw(t, "simulations")
	c.RootNoise = rapid.Bool().Draw(t, "noise")
	c.ParallelLeaves = rapid.SampledFrom([]int{1, 1, 3, 8}).Draw(t, "parallel")
	c.VirtualLoss = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "virtual loss")
	c.Gumbel.MaxConsideredActions = rapid.IntRange(1, 6).Draw(t, "considered")
	c.Gumbel.ValueSpread = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "value spread")
	c.MaxNodes = rapid.SampledFrom([]int{0, 0, 2, 20, 50}).Draw(t, "max nodes")
	return c
}

// TestTreeStaysIntact: under any sequence of calls, the tree stays intact, each move gets
// its simulations, proven values are correct, and the best of them is played.
func TestTreeStaysIntact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 4).Draw(t, "players")
		rng := env.NewRand(rapid.Uint64().Draw(t, "seed"))
		game, text := randomTree(t, rng, players)
		solution, err := envtest.Solve(game, 10000)
		require.NoError(t, err)
		s, err := New(game, randomConfig(t))
		require.NoError(t, err)
		s.Start(game.New(), rng)
		var r Result
		for {
			var leaves []*Leaf
			before := s.nodes[root].visits
			for !s.Done() {
				leaves = s.Gather(leaves[:0], 1+rng.IntN(8))
				if s.Done() {
					require.Empty(t, leaves)
					break
				}
				require.NotEmpty(t, leaves)
				switch rng.IntN(6) {
				case 0:
					s.Cancel()
					require.NoError(t, s.intact(), text)
				case 1: // the next Gather cancels
				default:
					require.NoError(t, oracle{players}.Evaluate(t.Context(), leaves))
					s.Apply(leaves)
					require.NoError(t, s.intact(), text)
				}
			}
			require.NoError(t, checkProofs(s, solution), text)
			s.Result(&r)
			if len(r.Actions) == 0 {
				break
			}
			checkResult(t, s, &r, solution)
			if !s.decided() && !s.full(s.maxNodes) {
				require.EqualValues(t, s.simulations, s.completed)
				require.EqualValues(t, s.simulations, s.nodes[root].visits-max(before, 1))
			}
			kept := *subtreeOf(s, r.Best)
			s.Advance(r.Best)
			require.NoError(t, s.intact(), text)
			if now := s.nodes[root]; now.visits > 0 {
				require.Equal(t, [3]any{kept.visits, kept.sum, kept.expanded}, [3]any{now.visits, now.sum, now.expanded})
			}
		}
	})
}

// subtreeOf returns the child behind a, or an empty node.
func subtreeOf(s *Search, a env.Action) *node {
	if e := s.edge(a); e < s.nodes[root].expanded {
		return &s.nodes[s.child[e]]
	}
	return &node{}
}

func checkResult(t require.TestingT, s *Search, r *Result, solution *envtest.Solution) {
	require.Equal(t, s.state.Legal(nil), r.Actions)
	require.Contains(t, r.Actions, r.Best)
	var sum float32
	for i, p := range r.Policy {
		require.False(t, math.IsNaN(float64(p)))
		require.GreaterOrEqual(t, p, float32(0))
		require.LessOrEqual(t, math.Abs(float64(s.completedQ(r.Actions[i]))), 1+1e-6)
		sum += p
	}
	require.InDelta(t, 1, sum, 1e-4)
	if s.decided() {
		best := solution.Best(s.state)
		require.Contains(t, best, r.Best)
		for i, p := range r.Policy {
			require.True(t, p == 0 || slices.Contains(best, r.Actions[i]))
		}
	}
	if r.Proven && r.Value[s.nodes[root].mover] != 0 {
		require.Less(t, subtreeOf(s, r.Best).length, s.nodes[root].length, "the proof gets shorter")
	}
	pv := s.Variation(nil, r.Best)
	if len(pv) > 0 {
		require.Equal(t, r.Best, pv[0])
	}
}

// TestCancelLeavesNoTrace: a failing evaluator or a cancelled search changes nothing.
func TestCancelLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 3).Draw(t, "players")
		seed := rapid.Uint64().Draw(t, "seed")
		game, text := randomTree(t, env.NewRand(seed), players)
		c := randomConfig(t)
		var drawn [2]string
		var results [2]Result
		for i := range drawn {
			s, err := New(game, c)
			require.NoError(t, err)
			s.Start(game.New(), env.NewRand(seed, 1))
			rng := env.NewRand(seed, 2)
			for leaves := []*Leaf(nil); !s.Done(); {
				leaves = s.Gather(leaves[:0], math.MaxInt)
				if i == 1 && rng.IntN(2) == 0 {
					s.Cancel()
					continue
				}
				if len(leaves) > 0 {
					require.NoError(t, oracle{players}.Evaluate(t.Context(), leaves))
					s.Apply(leaves)
				}
			}
			drawn[i] = draw(s)
			s.Result(&results[i])
		}
		require.Equal(t, drawn[0], drawn[1], text)
		require.Equal(t, results[0], results[1], text)
	})
}

// TestGumbelBatchesEqualSingleLeaves: at a Gumbel root the leaves of one round are
// independent, so every batch size gives exactly the same search.
func TestGumbelBatchesEqualSingleLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 4).Draw(t, "players")
		seed := rapid.Uint64().Draw(t, "seed")
		game, text := randomTree(t, env.NewRand(seed), players)
		c := randomConfig(t)
		c.Root, c.ParallelLeaves = RootGumbel, 1
		var first *Search
		for _, most := range []int{1, 2, 5, math.MaxInt} {
			s, err := New(game, c)
			require.NoError(t, err)
			s.Start(game.New(), env.NewRand(seed, 1))
			for leaves := []*Leaf(nil); !s.Done(); {
				if leaves = s.Gather(leaves[:0], most); len(leaves) > 0 {
					require.NoError(t, oracle{players}.Evaluate(t.Context(), leaves))
					s.Apply(leaves)
				}
			}
			if first == nil {
				first = s
			}
			require.Equal(t, draw(first), draw(s), text)
			require.Equal(t, first.nodes[root].sum, s.nodes[root].sum)
			var a, b Result
			first.Result(&a)
			s.Result(&b)
			require.Equal(t, a, b)
		}
	})
}
