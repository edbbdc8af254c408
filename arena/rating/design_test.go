package rating

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// TestGain: a game between equals tells most, and games of others next to nothing.
func TestGain(t *testing.T) {
	w := world{strength: []float64{0, 0.7, 1.4, 2.1}, seats: []float64{0, 0}, ties: []float64{0.5}}
	r, err := Fit(w.ladder(0, 100, 1))
	require.NoError(t, err)
	d := r.Design(nil)
	near, far := d.Gain([]int{1}, seatings(2, 1, 0)), d.Gain([]int{3}, seatings(2, 3, 0))
	require.Positive(t, near)
	require.Greater(t, near, d.Gain([]int{1}, seatings(2, 3, 2)))
	require.Positive(t, far)

	known := r.Design([]int{0, 1, 2})
	require.Less(t, known.Variance(3), d.Variance(3))
	require.Zero(t, known.Variance(2))
	require.Less(t, known.Gain([]int{3}, seatings(2, 0, 2)), known.Gain([]int{3}, seatings(2, 2, 3))/100)
}

// TestGainIsThatOfTheFit: gains are the differences of the variances before and after,
// those of one inversion of the whole information.
func TestGainIsThatOfTheFit(t *testing.T) {
	for _, w := range []world{
		{strength: []float64{0, 0.7, 1.4, 2.1}, seats: []float64{0.2, -0.2}, ties: []float64{0.5}},
		{strength: []float64{0, 0.7, 1.4}, seats: []float64{0.2, 0, -0.2}, ties: []float64{0.3, 0.2}},
	} {
		r, err := Fit(w.ladder(0, 60, 2))
		require.NoError(t, err)
		games, players := seatings(len(w.seats), 1, 2), []int{1, 2}
		for _, known := range [][]int{nil, {1}} {
			d, before := r.Design(known), 0.0
			for _, p := range players {
				before += d.Variance(p)
			}
			gain := d.Gain(players, games)
			d.Add(games)
			after := 0.0
			for _, p := range players {
				after += d.Variance(p)
			}
			require.InDelta(t, before-after, gain, 1e-6*before)

			more := *r
			changed := *r.fit
			changed.information = mat.NewSymDense(changed.size(), nil)
			changed.information.CopySym(r.fit.information)
			for _, seating := range games {
				x := changed.newDistribution(seating)
				x.set(changed.parameters)
				x.addInformation(changed.information, 1)
			}
			more.fit = &changed
			for _, p := range players {
				require.InDelta(t, more.Design(known).Variance(p), d.Variance(p), 1e-6*(1+d.Variance(p)))
			}
		}
	}
}
