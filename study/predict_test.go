package study

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
	"tiro/train"
)

// TestPredict: a network that learned from the games predicts them better than a random one, and
// exactly as well as itself. The means are means over all games.
func TestPredict(t *testing.T) {
	f := tinyFits(t)
	w := f.Window
	game := w.Game.Spec()
	random := net.NewWeights(game, w.Config.Net, env.NewRand(1))
	var games []selfplay.Episode
	for _, g := range w.games {
		games = append(games, g.episode)
	}
	fitted, err := train.Fit(t.Context(), train.FitOptions{Game: w.Game, Config: w.Config, Backend: f.Backend, Games: games, Steps: 100})
	require.NoError(t, err)

	p, done := Predictions{Networks: []string{"random", "fitted", "same"}}, 0
	require.NoError(t, p.Predict(t.Context(), w, f.Backend, []*net.Weights{random, fitted.Weights, random}, func(games int) { done += games }))
	require.Equal(t, 3*40, done)
	require.Equal(t, 40, p.Games)
	all, baseline, err := train.Measure(w.Game, kernel.Best(), random, slices.Values([][]selfplay.Episode{games}))
	require.NoError(t, err)
	require.Equal(t, all[0].Samples, p.Samples)
	require.InDelta(t, baseline, p.Baseline, 1e-9)
	for i, m := range p.Measures {
		require.InDelta(t, fitLosses[i].of(&all[0]), m.Variants[0].Mean.Value, 1e-6, m.Name)
		require.Less(t, m.Variants[1].Difference.High, 0.0, m.Name)
		require.Zero(t, *m.Variants[2].Difference, m.Name)
	}
	require.Contains(t, p.String(), "\npolicy KL\nnetwork ")

	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, p.Predict(ctx, w, f.Backend, []*net.Weights{random, random, random}, func(int) { cancel() }), context.Canceled)
}

// TestLossInterval, by hand: two parts of equal size with losses 0 and 2 have mean 1, and its
// standard error over other games is 1, with one degree of freedom. A third part has no samples.
func TestLossInterval(t *testing.T) {
	fit := fitsWith([][][]float64{{{0, 2}}, {{1, 3}}})
	fit[0][0].Parts = append(fit[0][0].Parts, train.Measured{})
	fit[1][0].Parts = append(fit[1][0].Parts, train.Measured{})
	alone := fitLosses[0].interval(fit[0], nil)
	require.InDeltaSlice(t, []float64{1, 1 - 12.706204736, 1 + 12.706204736}, []float64{alone.Value, alone.Low, alone.High}, 1e-6)
	difference := fitLosses[0].interval(fit[1], fit[0])
	require.InDeltaSlice(t, []float64{1, 1, 1}, []float64{difference.Value, difference.Low, difference.High}, 1e-9)
	fit[0][0].Parts = fit[0][0].Parts[:1]
	require.Equal(t, math.Inf(1), fitLosses[0].interval(fit[0], nil).High, "unknown with one part")
}
