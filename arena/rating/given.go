package rating

import (
	"math"

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
	between, inner := newMatrix(len(given)), make([]float64, len(given))
	for i, a := range given {
		inner[i] = r.Covariance[player][a]
		for j, b := range given {
			between[i][j] = r.Covariance[a][b]
		}
	}
	variance := r.Covariance[player][player]
	if inverse, ok := between.inverse(); ok {
		variance -= dot(inner, inverse.times(inner)) // of a normal distribution, given a part
	}
	return arena.Z95 * math.Sqrt(max(0, variance))
}
