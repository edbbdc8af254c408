package mcts

import (
	"context"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// used returns the memory of a search's tree in bytes.
func (s *Search) used() int64 {
	return int64(cap(s.nodes))*int64(unsafe.Sizeof(node{})) +
		int64(cap(s.moved)+cap(s.action)+cap(s.prior)+cap(s.visits)+cap(s.q)+cap(s.child))*4
}

// TestBytesBoundTheTree: a search stays within Bytes, with and without reused subtrees, and
// the tree takes most of its memory.
func TestBytesBoundTheTree(t *testing.T) {
	tests := []struct {
		name, game string
		sims, max  int
		fills      bool // whether the tree reaches its maximum number of edges
	}{
		{"few actions", "connect4", 64, 0, false},
		{"many actions", "coerceo:maxplies=100", 64, 0, false},
		{"several actions a turn", "pacru", 64, 0, false},
		{"four players", "azacru:players=4", 64, 0, false},
		{"little room", "pacru", 60, 61, false},
		{"nodes run out", "coerceo:maxplies=100", 1000, 50, false},
		{"edges run out", "mnk:m=19,n=19,k=5", 400, 500, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			game, err := games.New(test.game)
			require.NoError(t, err)
			c := Default()
			c.Simulations, c.MaxNodes = test.sims, test.max
			s, err := New(game, c)
			require.NoError(t, err)
			var result Result
			most, kept := 0, 0
			for seed := range uint64(2) {
				rollout := NewRollout(game, env.NewRand(seed))
				s.Start(game.New(), env.NewRand(seed))
				for range 30 {
					require.NoError(t, s.Run(context.Background(), rollout))
					require.LessOrEqual(t, len(s.nodes), c.nodes())
					require.LessOrEqual(t, len(s.action), maxEdges(c.nodes())+game.Spec().Actions())
					require.LessOrEqual(t, s.used(), c.Bytes(game))
					most = max(most, len(s.action))
					s.Result(&result)
					if result.Best < 0 {
						break
					}
					s.Advance(result.Best)
					kept = max(kept, len(s.nodes))
				}
			}
			require.Equal(t, test.fills, most >= maxEdges(c.nodes()))
			require.Greater(t, kept, 1, "subtrees are reused")
		})
	}
}

// TestReusedTreesLeaveRoom: a search whose tree was reused has room for all its simulations, for
// any number of legal actions.
func TestReusedTreesLeaveRoom(t *testing.T) {
	for _, name := range []string{"connect4", "mnk:m=15,n=15,k=5"} {
		game, err := games.New(name)
		require.NoError(t, err)
		c := Default()
		c.Root, c.Simulations = RootImproved, 200
		s, err := New(game, c)
		require.NoError(t, err)
		var result Result
		most := 0
		s.Start(game.New(), nil)
		for range 20 {
			most = max(most, len(s.nodes))
			require.NoError(t, s.Run(t.Context(), oracle{game.Spec().Players}))
			if s.Result(&result); s.decided() {
				break
			}
			require.EqualValues(t, c.Simulations, s.completed, name)
			s.Advance(result.Best)
		}
		require.Greater(t, most, c.Simulations, "large subtrees are reused")
	}
}

// TestBytesAreHonest: a full tree takes the memory that Bytes returns.
func TestBytesAreHonest(t *testing.T) {
	game, err := games.New("mnk:m=8,n=8,k=5") // 64 actions
	require.NoError(t, err)
	c := Default()
	c.Root, c.Simulations, c.MaxNodes = RootPUCT, 1<<20, 20_000
	s, err := New(game, c)
	require.NoError(t, err)
	s.Start(game.New(), env.NewRand(1))
	require.NoError(t, s.Run(context.Background(), Uniform{}))
	require.Len(t, s.nodes, c.nodes())
	require.InEpsilon(t, s.used(), c.Bytes(game), 0.3)
}

// TestCacheBytes compares CacheBytes with the heap.
func TestCacheBytes(t *testing.T) {
	for _, entries := range []int{1, 1000, 5000, 1 << 16} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		cache := NewCache(Uniform{}, entries)
		runtime.ReadMemStats(&after)
		require.InDelta(t, after.TotalAlloc-before.TotalAlloc, CacheBytes(entries), 20_000, "%d entries", entries)
		runtime.KeepAlive(cache)
	}
}
