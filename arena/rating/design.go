package rating

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Design predicts how much possible games would reduce the errors of ratings. As in the
// design of any experiment, it trusts the model: the variances come from the information of
// the games, not from their results. The seats' advantages count as known. A Design is not safe
// for concurrent use.
type Design struct {
	r          *Ratings
	covariance *mat.SymDense // covariance of the players' strengths; 0 for known players
}

// Design returns the design for games to be played after the games of r. It takes the strengths
// of the anchor and of the players in known as exact.
func (r *Ratings) Design(known []int) *Design {
	n := len(r.Players)
	certain := make([]bool, n)
	certain[r.Anchor] = true
	for _, player := range known {
		certain[player] = true
	}
	information := mat.NewSymDense(n, nil)
	for a := range n {
		for b := range a + 1 {
			switch {
			case !certain[a] && !certain[b]:
				information.SetSym(a, b, r.fit.information.At(a, b))
			case a == b:
				information.SetSym(a, a, 1)
			}
		}
	}
	d := &Design{r, inverse(information)}
	for a := range n {
		if certain[a] {
			d.covariance.SetSym(a, a, 0)
		}
	}
	return d
}

// Variance returns the variance of a player's rating, in Elo squared.
func (d *Design) Variance(player int) float64 {
	return eloUnit * eloUnit * d.covariance.At(player, player)
}

// Gain returns the reduction of the sum of the variances of the given players' ratings, in Elo
// squared, by a group of games. The group has one game with player a on each seat and player b
// on all others.
func (d *Design) Gain(players []int, a, b int) (sum float64) {
	moved, weight := d.update(a, b)
	for _, player := range players {
		sum += weight * moved.AtVec(player) * moved.AtVec(player)
	}
	return eloUnit * eloUnit * sum
}

// Add counts a group of games as in Gain as played. It does not change the ratings.
func (d *Design) Add(a, b int) {
	moved, weight := d.update(a, b)
	d.covariance.SymRankOne(d.covariance, -weight, moved)
}

// update returns u and w such that a group of games changes the covariance C to C - w·u·uᵀ.
// The group measures the difference x = e_a - e_b of two strengths with information I.
// Therefore u = C·x and w = I/(1 + I·xᵀ·C·x) (Sherman and Morrison 1950).
func (d *Design) update(a, b int) (u *mat.VecDense, w float64) {
	n, information := len(d.r.Players), 0.0
	for seat := range d.r.fit.seats {
		information += d.r.fit.informationOn(seat, a, b)
	}
	u = mat.NewVecDense(n, nil)
	for i := range n {
		u.SetVec(i, d.covariance.At(i, a)-d.covariance.At(i, b))
	}
	return u, information / (1 + information*(u.AtVec(a)-u.AtVec(b)))
}

// informationOn returns the information about the strength of player a in a game on seat
// against player b: the variance of the derivative of the log-likelihood.
func (f *fit) informationOn(seat, a, b int) (variance float64) {
	seating := slices.Repeat([]int{b}, f.seats)
	seating[seat] = a
	x := f.newDistribution(seating)
	x.set(f.parameters)
	for i, features := range x.features {
		derivative := -x.mean[a]
		for _, feature := range features {
			if feature.at == a {
				derivative += feature.x
			}
		}
		variance += x.p[i] * derivative * derivative
	}
	return variance
}
