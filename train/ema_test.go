package train

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/replay"
)

// TestEMA computes the average of the weights in 64 bits.
func TestEMA(t *testing.T) {
	game := gameOf(t, "connect4")
	b := replay.NewBuffer(game, replay.Keep{FinalPositions: true}, 0)
	b.Add(randomGames(t, game, 4))
	c := recipe.Default("connect4").Learner
	c.BatchSize, c.EMADecay = 16, 0.7
	w := net.NewWeights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1, Ownership: true}, env.NewRand(1))
	l, err := newLearner(&Options{Game: game, Config: recipe.Config{Learner: c}, Backend: kernel.Best()}, w)
	require.NoError(t, err)
	require.Equal(t, w.Inference().Flat(), l.inference().Flat(), "before the first step")
	want := make([]float64, l.inference().Parameters())
	for i := range want {
		want[i] = float64(w.Flat()[i])
	}
	for step := range 40 {
		l.fill(&b, env.NewRand(7, uint64(step)))
		_, err := l.step(moment{step: step}, nil)
		require.NoError(t, err)
		keep := math.Min(0.7, float64(1+step)/float64(10+step)) // 0.7 from step 20 on
		for i := range want {
			want[i] = keep*want[i] + (1-keep)*float64(w.Flat()[i])
		}
		for i, x := range l.inference().Flat() {
			require.InDelta(t, want[i], x, 1e-5)
		}
	}
	require.NotEqual(t, w.Inference().Flat(), l.inference().Flat())
	require.False(t, l.inference().Config.Ownership)
}
