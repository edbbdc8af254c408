package mcts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/mcts"
)

// grid is a game that costs next to nothing: 48 legal actions at every node,
// and no end for as long as a search goes.
type grid struct{}

type gridState struct {
	hash uint64
	ply  int32
}

func (grid) Spec() env.Spec {
	return env.Spec{Name: "grid", Players: 2, Planes: 1, Height: 1, Width: 48, PolicyPlanes: 1, MaxPlies: 1 << 20, Version: 1}
}
func (grid) New() env.State                           { return &gridState{} }
func (s *gridState) Turn() env.Player                 { return env.Player(s.ply & 1) }
func (s *gridState) Result() (env.Value, bool)        { return env.Value{}, false }
func (s *gridState) Observe(dst []float32)            { clear(dst) }
func (s *gridState) CopyFrom(src env.State)           { *s = *src.(*gridState) }
func (s *gridState) Hash() uint64                     { return s.hash }
func (s *gridState) ActionString(a env.Action) string { return string(rune('A' + a)) }
func (s *gridState) String() string                   { return "grid" }

func (s *gridState) Legal(dst []env.Action) []env.Action {
	for a := range env.Action(48) {
		dst = append(dst, a)
	}
	return dst
}

func (s *gridState) Play(a env.Action) {
	s.hash = env.Mix(s.hash ^ uint64(a))
	s.ply++
}

func benchmarkSearch(b *testing.B, game env.Game, root string) {
	c := mcts.Default()
	c.Root, c.Simulations, c.Noise = root, 800, false
	s, err := mcts.New(game, c)
	require.NoError(b, err)
	start := game.New()
	b.ReportAllocs()
	for b.Loop() {
		s.Start(start, nil)
		require.NoError(b, s.Run(context.Background(), mcts.Uniform{}))
	}
	b.ReportMetric(float64(b.N)*800/b.Elapsed().Seconds(), "sims/s")
}

func BenchmarkGridPUCT(b *testing.B)   { benchmarkSearch(b, grid{}, mcts.RootPUCT) }
func BenchmarkGridGumbel(b *testing.B) { benchmarkSearch(b, grid{}, mcts.RootGumbel) }
