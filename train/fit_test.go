package train

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/selfplay"
)

// fitOptions returns the options of a fit that takes a moment.
func fitOptions(t *testing.T) FitOptions {
	game := gameOf(t, "mnk")
	c := recipe.Default("mnk")
	c.Net.Channels, c.Net.Blocks, c.Net.Hidden = 4, 1, 0
	c.Learner.BatchSize = 32
	c.Learner.EMADecay = 0.9
	return FitOptions{Game: game, Config: c, Backend: kernel.Best(), Games: randomGames(t, game, 20), Steps: 30}
}

// TestFit: fits with the same settings produce the same bits, and fits with other settings do
// not. They learn.
func TestFit(t *testing.T) {
	o := fitOptions(t)
	first, err := Fit(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, 30, first.Steps)
	again, err := Fit(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first.Weights.Flat(), again.Weights.Flat())
	require.Equal(t, o.Config.Net.Inference(), first.Weights.Config)

	o.Config.Seed = 2
	other, err := Fit(t.Context(), o)
	require.NoError(t, err)
	require.NotEqual(t, first.Weights.Flat(), other.Weights.Flat())

	before := net.NewWeights(o.Game.Spec(), o.Config.Net, env.NewRand(1))
	sets := [][]selfplay.Episode{o.Games}
	random, baseline, err := Measure(o.Game, o.Backend, before, slices.Values(sets))
	require.NoError(t, err)
	learned, same, err := Measure(o.Game, o.Backend, first.Weights, slices.Values(sets))
	require.NoError(t, err)
	require.Equal(t, baseline, same)
	require.Less(t, learned[0].Outcome, random[0].Outcome)
}

// TestFitByCPUTime: a fit ends with the step that reaches its CPU time.
func TestFitByCPUTime(t *testing.T) {
	o := fitOptions(t)
	o.Progress = func(steps int, cpuTime time.Duration) { require.Equal(t, time.Duration(steps)*10*time.Second, cpuTime) }
	o.Steps, o.CPUTime = 0, 35*time.Second
	calls := 0
	o.CPU = func() time.Duration {
		calls++
		return time.Hour + time.Duration(calls-1)*10*time.Second // an hour before the fit, ten seconds per step
	}
	fitted, err := Fit(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, 4, fitted.Steps)
	require.Equal(t, 40*time.Second, fitted.CPUTime)
}

func TestFitRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(o *FitOptions)
		want   string
	}{
		{"no length", func(o *FitOptions) { o.Steps = 0 }, "length is 0 steps and 0s of CPU time"},
		{"two lengths", func(o *FitOptions) { o.CPUTime = 1 }, "1ns of CPU time"},
		{"no count of CPU time", func(o *FitOptions) { o.Steps, o.CPUTime = 0, 1 }, "CPU time limit"},
		{"settings", func(o *FitOptions) { o.Config.Learner.BatchSize = 0 }, "learner.batch_size is 0"},
		{"no games", func(o *FitOptions) { o.Games = nil }, "the games have no samples"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := fitOptions(t)
			test.change(&o)
			_, err := Fit(t.Context(), o)
			require.ErrorContains(t, err, test.want)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Fit(ctx, fitOptions(t))
	require.ErrorIs(t, err, context.Canceled)
}

// TestMeasure: the losses are computed from the network's outputs, position by position.
func TestMeasure(t *testing.T) {
	game := gameOf(t, "connect4")
	spec := game.Spec()
	games := randomGames(t, game, 30) // more samples than a batch of Measure
	w := net.NewWeights(spec, net.Config{Channels: 4, Blocks: 1, OutcomeChannels: 2}, env.NewRand(3))
	rng := env.NewRand(4)
	for i := range w.Flat() {
		w.Flat()[i] += float32(0.1 * (rng.Float64() - 0.5)) // layers that begin at 0 too
	}
	measured, baseline, err := Measure(game, kernel.Best(), w, slices.Values([][]selfplay.Episode{games[:29], games[29:], nil}))
	require.NoError(t, err)
	require.Len(t, measured, 3)
	require.Equal(t, Measured{}, measured[2])

	plan := net.Compile(kernel.Best(), w).NewPlan(1)
	x, policy, outcome := make([]float32, spec.Inputs()), make([]float32, spec.Actions()), make([]float32, spec.Outcomes())
	results := make([]float64, spec.Outcomes())
	for i, set := range [][]selfplay.Episode{games[:29], games[29:]} {
		kl, loss, samples := 0.0, 0.0, 0
		for _, e := range set {
			for _, s := range e.Samples {
				state := env.After(game, game.New(), e.Actions[:s.Ply]...)
				state.Observe(x)
				plan.Run(1, x, policy, outcome)
				legal := state.Legal(nil)
				priors := make([]float32, len(legal))
				require.NoError(t, net.Priors(priors, policy, legal))
				for _, p := range s.Policy {
					for k, a := range legal {
						if a == env.Action(p.Action) {
							weight := float64(p.Weight) / selfplay.Scale
							kl += weight * math.Log(weight/float64(priors[k]))
						}
					}
				}
				result := 2 // a draw
				switch v := e.Result[state.Turn()]; {
				case v > 0:
					result = 0
				case v < 0:
					result = 1
				}
				sum := 0.0
				for _, logit := range outcome {
					sum += math.Exp(float64(logit))
				}
				loss -= math.Log(math.Exp(float64(outcome[result])) / sum)
				results[result]++
				samples++
			}
		}
		require.Equal(t, samples, measured[i].Samples)
		require.InDelta(t, kl/float64(samples), measured[i].PolicyKL, 1e-4)
		require.InDelta(t, loss/float64(samples), measured[i].Outcome, 1e-4)
	}
	require.InDelta(t, entropy(results), baseline, 1e-9)
}

func TestEntropy(t *testing.T) {
	require.InDelta(t, math.Log(2), entropy([]float64{3, 3, 0}), 1e-12)
	require.InDelta(t, 0, entropy([]float64{5, 0, 0}), 1e-12)
}
