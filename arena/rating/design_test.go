package rating

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGain checks that games between equals gain most, and that games of other players gain
// almost nothing.
func TestGain(t *testing.T) {
	w := world{strength: []float64{0, 0.7, 1.4, 2.1}, seats: []float64{0, 0}, ties: []float64{0.5}}
	r, err := Fit(w.ladder(0, 100, 1))
	require.NoError(t, err)
	d := r.Design(nil)
	near, far := d.Gain([]int{1}, 1, 0), d.Gain([]int{3}, 3, 0)
	require.Positive(t, near)
	require.Greater(t, near, d.Gain([]int{1}, 3, 2))
	require.Positive(t, far)

	known := r.Design([]int{0, 1, 2})
	require.Less(t, known.Variance(3), d.Variance(3))
	require.Zero(t, known.Variance(2))
	require.Less(t, known.Gain([]int{3}, 0, 2), known.Gain([]int{3}, 2, 3)/100)
}

// TestGainIsThatOfTheFit: each gain equals the difference of the variances before and after,
// and these variances equal the ones from one inversion of the complete information.
func TestGainIsThatOfTheFit(t *testing.T) {
	for _, w := range []world{
		{strength: []float64{0, 0.7, 1.4, 2.1}, seats: []float64{0.2, -0.2}, ties: []float64{0.5}},
		{strength: []float64{0, 0.7, 1.4}, seats: []float64{0.2, 0, -0.2}, ties: []float64{0.3, 0.2}},
	} {
		r, err := Fit(w.ladder(0, 60, 2))
		require.NoError(t, err)
		players := []int{1, 2}
		sum := func(d *Design) float64 { return d.Variance(1) + d.Variance(2) }
		for _, known := range [][]int{nil, {1}} {
			d := r.Design(known)
			before, gain := sum(d), d.Gain(players, 1, 2)
			d.Add(1, 2)
			require.InDelta(t, before-sum(d), gain, 1e-6*before)
			for _, seating := range seatings(len(w.seats), 1, 2) {
				x := r.fit.newDistribution(seating)
				x.set(r.fit.parameters)
				x.addInformation(r.fit.information, 1)
			}
			require.InDelta(t, sum(r.Design(known)), sum(d), 1e-6*before)
		}
	}
}
