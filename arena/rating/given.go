package rating

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tiro/arena"
)

// ErrorGiven returns half the width of the 95% interval that the rating of a player
// would have if those of others, which do not include it, were known exactly: what
// is left of its error when that of the scale is left out. Where only a bound is
// known it means nothing: see Bounded.
func (r *Ratings) ErrorGiven(player int, known []int) float64 {
	given := make([]int, 0, len(known))
	for _, other := range known {
		if other != r.Anchor { // which is known anyway
			given = append(given, other)
		}
	}
	variance := r.Covariance[player][player]
	if n := len(given); n > 0 {
		between, inner := mat.NewSymDense(n, nil), make([]float64, n)
		for i, a := range given {
			inner[i] = r.Covariance[player][a]
			for j, b := range given {
				between.SetSym(i, j, r.Covariance[a][b])
			}
		}
		var x mat.VecDense
		if solve(&x, between, inner) {
			variance -= floats.Dot(inner, x.RawVector().Data) // of a normal distribution, given a part
		}
	}
	return arena.Z95 * math.Sqrt(max(0, variance))
}
