package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChart: no number is missing or infinite, whatever the points are.
func TestChart(t *testing.T) {
	require.Empty(t, Chart{}.SVG())
	for _, dots := range [][]Dot{{{X: 1, Y: 2}}, {{X: 0, Y: 0}, {X: 1, Y: 0}}, {{X: 1, Y: -1e9}, {X: 1e9, Y: 1e-9, Low: -3, High: 4}}, {{X: 1, Y: math.Log(3)}, {X: 2, Y: math.Nextafter(math.Log(3), 2)}}} {
		text := string(Chart{Label: "<a>", X: "generation", Series: []Series{{Name: "s", Dots: dots, Band: true}}}.SVG())
		require.NotContains(t, text, "NaN")
		require.NotContains(t, text, "Inf")
		require.NotContains(t, text, "<a>")
	}
	require.Len(t, thin(make([]Dot, 1000)), 143)
	require.Equal(t, "200000", short(2e5))
	require.Equal(t, "1e+09", short(1e9))
	require.Equal(t, "0.1", short(0.1+math.SmallestNonzeroFloat64))
}

// TestTicks are round numbers, few enough, and none without a range.
func TestTicks(t *testing.T) {
	for _, high := range []float64{1e-280, 1e-6, 0.0015, 1, 7, 13, 1234, 1e7, 1e9, 1e300} {
		for _, low := range []float64{0, -high / 3, high * (1 - 1e-11)} {
			n := len(ticks(low, high, 6))
			require.True(t, n >= 2 && n <= 7, "%v to %v: %d", low, high, n)
		}
	}
	require.Equal(t, []float64{-50, 0, 50, 100}, ticks(-60, 130, 6))
	for _, test := range []struct{ low, high float64 }{
		{1, 1},
		{2, 1},
		{0, math.NaN()},
		{math.Inf(-1), 0},
		{-math.MaxFloat64, math.MaxFloat64},
		{1, math.Nextafter(1, 2)},
		{1e300, math.Nextafter(1e300, math.Inf(1))},
		{0, math.SmallestNonzeroFloat64},
	} {
		require.Empty(t, ticks(test.low, test.high, 6), "%v to %v", test.low, test.high)
	}
}
