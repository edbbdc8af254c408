package rating

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestErrorGiven: for a player with a single opponent, the error without the opponent's error
// is the error of their difference. Without any given player it is the whole error.
func TestErrorGiven(t *testing.T) {
	w := world{strength: []float64{0, 1, 2, 3}, seats: []float64{0, 0}, ties: []float64{0}}
	d, rng := Data{Players: []string{"a", "b", "c", "d"}}, env.NewRand(1)
	for b := 1; b < 4; b++ {
		for range 40 {
			d.Groups = append(d.Groups, w.play(seatings(2, b-1, b), rng))
		}
	}
	r, err := Fit(d)
	require.NoError(t, err)
	require.InDelta(t, r.Error(3, 0), r.ErrorGiven(3, nil), 1e-9)
	require.InDelta(t, r.Error(3, 0), r.ErrorGiven(3, []int{0}), 1e-9)
	require.InDelta(t, r.Error(3, 2), r.ErrorGiven(3, []int{0, 1, 2}), 2)
	require.Less(t, r.Error(3, 2), r.Error(3, 0))
	require.Less(t, r.ErrorGiven(3, []int{1}), r.ErrorGiven(3, nil))
}
