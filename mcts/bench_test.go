package mcts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/coerceo"
)

func newCoerceo(t testing.TB) env.Game {
	_, options, err := env.ParseName("coerceo")
	require.NoError(t, err)
	game, err := coerceo.New(options)
	require.NoError(t, err)
	return game
}

// BenchmarkSearch runs 800 simulations from the start position. A game without rules shows
// the cost of the search alone.
func BenchmarkSearch(b *testing.B) {
	games := []struct {
		name string
		game env.Game
	}{{"norules", endless{}}, {"coerceo", newCoerceo(b)}}
	for _, game := range games {
		for _, root := range []string{RootPUCT, RootGumbel} {
			b.Run(game.name+"/"+root, func(b *testing.B) {
				s := newSearch(b, game.game, quiet(root, 800))
				start := game.game.New()
				b.ReportAllocs()
				for b.Loop() {
					s.Start(start, nil)
					require.NoError(b, s.Run(b.Context(), Uniform{}))
				}
				b.ReportMetric(800*float64(b.N)/b.Elapsed().Seconds(), "sims/s")
			})
		}
	}
}

// BenchmarkSelfplay plays Coerceo with searches of 64 simulations with noise, reused
// subtrees and a cache.
func BenchmarkSelfplay(b *testing.B) {
	for _, root := range []string{RootPUCT, RootGumbel} {
		b.Run(root, func(b *testing.B) {
			game := newCoerceo(b)
			c := Default()
			c.Root, c.Simulations = root, 64
			s := newSearch(b, game, c)
			rng := env.NewRand(1)
			cache := NewCache(Uniform{}, 10000)
			start := game.New()
			s.Start(start, rng)
			var r Result
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, s.Run(b.Context(), cache))
				if s.Result(&r); r.Best < 0 {
					s.Start(start, rng)
				} else {
					s.Advance(r.Best)
				}
			}
			b.ReportMetric(64*float64(b.N)/b.Elapsed().Seconds(), "sims/s")
		})
	}
}
