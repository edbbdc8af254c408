package mcts

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/envtest"
)

// counting counts the leaves that it evaluates, by hash.
type counting struct {
	inner Evaluator
	asked map[uint64]int
	err   error
}

func (e *counting) Evaluate(ctx context.Context, leaves []*Leaf) error {
	if e.err != nil {
		return e.err
	}
	for _, leaf := range leaves {
		e.asked[leaf.State.Hash()]++
	}
	return e.inner.Evaluate(ctx, leaves)
}

// leafOf returns the leaf of a node of a tree.
func leafOf(t require.TestingT, game env.Game, path string) *Leaf {
	s := game.New()
	require.NoError(t, s.(env.Positioner).SetPosition(path))
	legal := s.Legal(nil)
	return &Leaf{State: s, Legal: legal, Prior: make([]float32, len(legal))}
}

func TestCache(t *testing.T) {
	game := envtest.MustTree(2, binary(4))
	inner := &counting{inner: oracle{2}, asked: map[uint64]int{}}
	cache := NewCache(inner, 100)
	answer := func(e Evaluator, paths ...string) []*Leaf {
		var leaves []*Leaf
		for _, path := range paths {
			leaves = append(leaves, leafOf(t, game, path))
		}
		require.NoError(t, e.Evaluate(t.Context(), leaves))
		return leaves
	}
	batch := []string{"/", "/0", "/", "/0/1", "/"}
	require.Equal(t, answer(oracle{2}, batch...), answer(cache, batch...))
	require.Len(t, inner.asked, 3)
	require.EqualValues(t, 3, cache.Misses())

	require.Equal(t, answer(oracle{2}, "/0", "/1"), answer(cache, "/0", "/1"))
	require.EqualValues(t, 4, cache.Misses())

	inner.err = context.DeadlineExceeded
	leaves := []*Leaf{leafOf(t, game, "/1/1"), leafOf(t, game, "/0")}
	require.Equal(t, context.DeadlineExceeded, cache.Evaluate(t.Context(), leaves), "unchanged")
	inner.err = nil
	answer(cache, "/1/1")
	require.EqualValues(t, 5, cache.Misses(), "a failed batch is not stored")
}

// TestCacheIsTransparent: a cache of any size returns its evaluator's answers, and a large
// one evaluates each position once.
func TestCacheIsTransparent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SampledFrom([]int{0, 1, 5, 16, 4096}).Draw(t, "entries")
		rng := env.NewRand(rapid.Uint64().Draw(t, "seed"))
		inner := &counting{inner: oracle{2}, asked: map[uint64]int{}}
		cache := NewCache(inner, entries)
		asked := 0
		for range 40 {
			var leaves, want []*Leaf
			for range 1 + rng.IntN(20) {
				s := &endlessState{}
				s.Play(env.Action(rng.IntN(60)))
				legal := s.Legal(nil)[:1+s.hash%48]
				leaves = append(leaves, &Leaf{State: s, Legal: legal, Prior: make([]float32, len(legal))})
				want = append(want, &Leaf{State: s, Legal: legal, Prior: make([]float32, len(legal))})
			}
			require.NoError(t, cache.Evaluate(t.Context(), leaves))
			require.NoError(t, oracle{2}.Evaluate(t.Context(), want))
			require.Equal(t, want, leaves)
			asked += len(leaves)
		}
		misses := 0
		for _, n := range inner.asked {
			require.True(t, n == 1 || entries < 4096)
			misses += n
		}
		require.EqualValues(t, misses, cache.Misses())
		require.LessOrEqual(t, misses, asked)
	})
}

// TestSearchThroughCache: a search is the same with and without a cache.
func TestSearchThroughCache(t *testing.T) {
	for _, root := range []string{RootPUCT, RootGumbel} {
		want, _ := run(t, ticTacToe(t), quiet(root, 300), oracle{2})
		cache := NewCache(oracle{2}, 1000)
		leaves := &counting{inner: cache, asked: map[uint64]int{}}
		got, _ := run(t, ticTacToe(t), quiet(root, 300), leaves)
		require.Equal(t, draw(want), draw(got))
		asked := 0
		for _, n := range leaves.asked {
			asked += n
		}
		require.Less(t, int(cache.Misses()), asked, "transpositions")
	}
}

// TestRollout: a rollout's answer depends only on the position and the seed, is the result
// of a game, and its mean is the expected result of random play.
func TestRollout(t *testing.T) {
	// Under random play, a wins 1/2 + 1/2·1/3 of the games.
	game := envtest.MustTree(2, "a(A b(BA=))")
	one, other := NewRollout(game, env.NewRand(1)), NewRollout(game, env.NewRand(1))
	batch := []*Leaf{leafOf(t, game, "/"), leafOf(t, game, "/1")}
	require.NoError(t, one.Evaluate(t.Context(), batch))
	alone := []*Leaf{leafOf(t, game, "/1")}
	require.NoError(t, other.Evaluate(t.Context(), alone))
	require.Equal(t, batch[1], alone[0])
	require.Equal(t, []float32{0.5, 0.5}, batch[0].Prior)

	wins := 0.0
	rng := env.NewRand(2)
	for range 3000 {
		require.NoError(t, NewRollout(game, rng).Evaluate(t.Context(), batch[:1]))
		v := batch[0].Value
		require.Zero(t, v[0]+v[1])
		if v[0] == 1 {
			wins++
		}
	}
	require.InDelta(t, 2000, wins, 100)

	ctx, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, one.Evaluate(ctx, batch), context.Canceled)
}

// TestRolloutBySeat: with more than two seats and turns of several actions, each seat's
// mean over rollouts is its expected payoff under random play, computed by hand: a wins 1/2
// of the games, b and c share 1/4, c wins 1/8 and b the rest.
func TestRolloutBySeat(t *testing.T) {
	game := envtest.MustTree(3, "a( a(A c(c([-0.5,0.25,0.25] [-0.5,0.25,0.25]) c(C B))) a(A c(c([-0.5,0.25,0.25] [-0.5,0.25,0.25]) c(C B))) )")
	leaf := []*Leaf{leafOf(t, game, "/")}
	rng := env.NewRand(3)
	const games = 8000
	var sum [3]float64
	for range games {
		require.NoError(t, NewRollout(game, rng).Evaluate(t.Context(), leaf))
		for seat := range sum {
			sum[seat] += float64(leaf[0].Value[seat])
		}
	}
	// The shares of the win are 1/2, 1/4 and 1/4; a payoff is (3·share - 1)/2.
	for seat, want := range []float64{0.25, -0.125, -0.125} {
		require.InDelta(t, want, sum[seat]/games, 0.03, "seat %d", seat)
	}
}

func TestRolloutAfterMaxPlies(t *testing.T) {
	game := envtest.WithSpec(envtest.MustTree(2, binary(8)), func(s *env.Spec) { s.MaxPlies = 4 })
	err := NewRollout(game, env.NewRand(1)).Evaluate(t.Context(), []*Leaf{leafOf(t, game, "/")})
	require.ErrorContains(t, err, "the game continues after MaxPlies = 4")
}
