package cluster

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/mcts"
	"tiro/selfplay"
	"tiro/train"
)

// BenchmarkIntake measures what a game costs the trainer's core, and how long its
// message is. The games are those of searches without a network.
func BenchmarkIntake(b *testing.B) {
	for _, name := range []string{"connect4", "coerceo", "pacru"} {
		b.Run(name, func(b *testing.B) {
			game, err := games.New(name)
			require.NoError(b, err)
			c := selfplay.Default()
			c.Search.Simulations = 32
			job := selfplay.Job{Game: game, Config: c, Seed: 1, Generation: 1, Games: 16, Workers: 2, Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }}
			episodes, _, err := selfplay.Play(context.Background(), job)
			require.NoError(b, err)
			g, err := newGeneration(&train.Games{Job: job, Header: selfplay.NewHeader(game.Spec(), 1, 1, "net")}, "v1")
			require.NoError(b, err)
			var messages [][]byte
			bytes, plies := 0, 0
			for i := range episodes {
				m, err := (&episode{episodes[i], g}).message()
				require.NoError(b, err)
				messages = append(messages, m)
				bytes += len(m)
				plies += len(episodes[i].Actions)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e, err := g.read(messages[i%len(messages)])
				if err != nil {
					b.Fatal(err)
				}
				if _, err := e.digest(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
			b.ReportMetric(float64(bytes)/float64(len(messages)), "bytes/game")
			b.ReportMetric(float64(plies)/float64(len(messages)), "plies/game")
		})
	}
}
