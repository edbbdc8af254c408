package play

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/player"
)

// BenchmarkSearch searches the start of games with their bundled models, with one leaf or
// several in parallel, and with one or two evaluator threads.
func BenchmarkSearch(b *testing.B) {
	const simulations = 800
	for _, name := range []string{"coerceo", "connect4", "pacru"} {
		game := newGame(b, name)
		found, err := bundled.Find(name)
		require.NoError(b, err)
		weights, err := found.Weights(game.Spec())
		require.NoError(b, err)
		model := net.Compile(kernel.Best(), weights)
		for _, way := range []struct{ leaves, threads int }{{1, 1}, {1, 2}, {8, 1}, {8, 2}, {16, 2}} {
			b.Run(fmt.Sprintf("%s/leaves=%d/threads=%d", name, way.leaves, way.threads), func(b *testing.B) {
				c := player.NetworkConfig(simulations)
				c.ParallelLeaves = way.leaves
				p, err := NewPlayer("bench", game, c, net.NewEvaluatorPool(game, model, way.threads, 64))
				require.NoError(b, err)
				start := game.New()
				nodes := 0
				for b.Loop() {
					p.NewGame()
					_, err := p.Choose(b.Context(), start, nil, env.NewRand(1))
					require.NoError(b, err)
					nodes += p.Nodes()
				}
				b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "sims/s")
			})
		}
	}
}
