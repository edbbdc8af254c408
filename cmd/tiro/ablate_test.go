package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
)

// The interval over seeds is Student's, but never narrower than the games.
func TestMeanShare(t *testing.T) {
	wide := meanShare([]arena.Interval{{Value: 0.4, Low: 0.39, High: 0.41}, {Value: 0.6, Low: 0.59, High: 0.61}, {Value: 0.5, Low: 0.49, High: 0.51}})
	require.InDelta(t, 0.5, wide.Value, 1e-12)
	require.InDelta(t, 0.5-4.303*0.1/1.732, wide.Low, 1e-3) // t(2) at 97.5% is 4.303

	same := meanShare([]arena.Interval{{Value: 0.5, Low: 0.4, High: 0.6}, {Value: 0.5, Low: 0.4, High: 0.6}})
	require.InDelta(t, 0.1/1.414, same.High-same.Value, 1e-3)

	won := meanShare([]arena.Interval{{Value: 1, Low: 0.9, High: 1}, {Value: 1, Low: 0.9, High: 1}})
	require.InDelta(t, 1-0.1/1.414, won.Low, 1e-3)
	require.Equal(t, 1.0, won.High)

	one := meanShare([]arena.Interval{{Value: 0.9, Low: 0.8, High: 0.95}})
	require.Equal(t, arena.Interval{Value: 0.9, Low: 0, High: 1}, one)
}

// A change may be a list, with spaces.
func TestVariantsMayHoldLists(t *testing.T) {
	got := splitWords("grow \n\ta.b=[{generation: 5, simulations: 48}, {generation: 9, simulations: 64}] c=1")
	require.Equal(t, []string{"grow", "a.b=[{generation: 5, simulations: 48}, {generation: 9, simulations: 64}]", "c=1"}, got)
}
