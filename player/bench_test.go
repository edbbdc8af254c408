package player

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// BenchmarkAlphaBeta searches the start of Coerceo.
func BenchmarkAlphaBeta(b *testing.B) {
	game, err := games.New("coerceo")
	require.NoError(b, err)
	p, err := Must(game, "alphabeta:4").New()
	require.NoError(b, err)
	s := game.New()
	rng := env.NewRand(1)
	b.ReportAllocs()
	nodes := 0
	for b.Loop() {
		_, err := p.Choose(b.Context(), s, nil, rng)
		require.NoError(b, err)
		nodes += p.(*alphaBeta).nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/move")
}

// However many positions it searches, a move allocates the list of the root's
// actions only.
func TestAlphaBetaAllocates(t *testing.T) {
	game := ticTacToe(t)
	p, err := Must(game, "alphabeta:6").New()
	require.NoError(t, err)
	s := game.New()
	rng := env.NewRand(1)
	allocs := testing.AllocsPerRun(5, func() {
		if _, err := p.Choose(t.Context(), s, nil, rng); err != nil {
			t.Fatal(err)
		}
	})
	require.LessOrEqual(t, allocs, 8.0)
}
