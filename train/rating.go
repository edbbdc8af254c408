package train

import (
	"math"

	"tiro/internal/portable"
	"tiro/rundir"
)

// met is an opponent of duels whose rating is known, and what was won against it.
type met struct {
	rating rundir.Rating
	games  int
	points float64 // 1 for a win, 1/k for one that k seats share
}

// Bounds of a rating, in Elo. A game that is drawn keeps all ratings far within them.
const (
	maxRating     = 16384
	ratingHalvers = 40 // halvings of that range until nothing is left of it
)

// eloScale is the difference in Elo at which the odds are e to 1.
const eloScale = 400 / math.Ln10

// rate returns the rating of a network, on the scale of its opponents' ratings, by its
// duels in a game with so many seats, of which it has one and the opponent the others.
// It is the maximum of the likelihood of the model of package rating, whose expected
// points are 1/(1 + (seats-1)·10^(-d/400)) for a network that is d Elo stronger, with a
// prior of one drawn game against each opponent (Coulom 2005, "Bayesian Elo Rating",
// has two), without which a network that has won all games had no rating. The error
// has two parts: that of the games, by the observed information, and those of the
// opponents' ratings, taken to be independent. It is nil without opponents.
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
		elo, excess := float64((low+high)/2), 0.0 // points above what is expected at elo
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
	information, others := 0.0, 0.0 // in 1/Elo², and what the opponents' errors add
	for i := range all {
		o := &all[i]
		p := expected(low, o)
		weight := float64(o.games+1) * p * (1 - p) / (eloScale * eloScale)
		information += weight
		others += float64(weight * weight * o.rating.Error * o.rating.Error)
	}
	const z95 = 1.959964
	own := z95 * z95 / information
	return &rundir.Rating{Elo: math.Round(low) + 0, Error: math.Round(math.Sqrt(own + others/float64(information*information)))} // +0: never -0
}
