package train

import (
	"math"

	"tiro/internal/portable"
	"tiro/rundir"
)

// met is the result of duels against an opponent with a known rating.
type met struct {
	rating rundir.Rating
	games  int
	points float64 // 1 for a win, 1/k for a win shared by k seats
}

// Limits of a rating, in Elo. A drawn game keeps all ratings far within them.
const (
	maxRating     = 16384
	ratingHalvers = 40 // halvings of the range until it is exhausted
)

// eloScale is the difference in Elo at which the odds are e to 1.
const eloScale = 400 / math.Ln10

// rate returns the rating of a network from its duels, on the scale of its opponents' ratings. In
// a game of seats seats, the network has one seat and its opponent the others. The rating
// maximises the likelihood of the model of package rating, in which a network that is d Elo
// stronger has expected points of 1/(1 + (seats-1)·10^(-d/400)). As a prior, one drawn game
// against each opponent is added (Coulom 2005, "Bayesian Elo Rating", adds two), without which a
// network that has won all games would have no rating. The error combines the error from the
// games, based on the observed information, and the errors of the opponents' ratings, which are
// assumed to be independent. The result is nil if there are no opponents.
func rate(seats int, all []met) *rundir.Rating {
	if len(all) == 0 {
		return nil
	}
	draw := 1 / float64(seats)
	expected := func(elo float64, o *met) float64 {
		odds := portable.Exp((elo - o.rating.Elo) / eloScale)
		return odds / (odds + float64(seats-1))
	}
	low, high := -float64(maxRating), float64(maxRating)
	for range ratingHalvers {
		elo, excess := float64((low+high)/2), 0.0 // points above the expectation at elo
		for i := range all {
			o := &all[i]
			excess += o.points + draw - float64(float64(o.games+1)*expected(elo, o))
		}
		if excess > 0 {
			low = elo
		} else {
			high = elo
		}
	}
	information, others := 0.0, 0.0 // in 1/Elo²; and the contribution of the opponents' errors
	for i := range all {
		o := &all[i]
		p := expected(low, o)
		weight := float64(o.games+1) * p * (1 - p) / (eloScale * eloScale)
		information += weight
		others += float64(weight * weight * o.rating.Error * o.rating.Error)
	}
	const z95 = 1.959964
	own := z95 * z95 / information
	return &rundir.Rating{Elo: math.Round(low) + 0, Error: math.Round(math.Sqrt(own + others/float64(information*information)))} // +0 avoids -0
}
