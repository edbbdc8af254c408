package mcts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestSample: actions are drawn with probabilities proportional to the policy raised to
// 1/temperature. Actions with probability 0 are never drawn.
func TestSample(t *testing.T) {
	r := Result{Actions: []env.Action{3, 5, 8, 9}, Policy: []float32{0.64, 0.32, 0, 0.04}, Best: 3}
	for temperature, want := range map[float64][]float64{
		1: {0.64, 0.32, 0, 0.04}, 2: {0.511, 0.361, 0, 0.128}, 0.5: {0.7975, 0.1994, 0, 0.0031}, 0.02: {1, 0, 0, 0},
	} {
		const n = 20000
		counts, rng := map[env.Action]int{}, env.NewRand(1)
		for range n {
			counts[r.Sample(temperature, rng)]++
		}
		for i, a := range r.Actions {
			require.InDelta(t, want[i], float64(counts[a])/n, 0.01, "temperature %v, action %d", temperature, a)
		}
		require.Zero(t, counts[8])
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { r.Sample(1, env.NewRand(1)) })-testing.AllocsPerRun(10, func() { env.NewRand(1) }))
}
