package rating

import "gonum.org/v1/gonum/mat"

// Design weighs games that might be played next, by how much they would tell. Like the
// design of any experiment it trusts the model: variances come from the information of
// the games, not from how they ended. Advantages of seats and the frequency of ties count as
// known. It is not safe for concurrent use.
type Design struct {
	r          *Ratings
	covariance *mat.SymDense // of the strengths of all players; 0 for those that are known
}

// Design returns the design for games that are to be played after those of r. The
// strengths of the players in known, and of the anchor, are taken to be known exactly.
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
	return d.r.scale * d.r.scale * d.covariance.At(player, player)
}

// Gain returns by how much the variances of the ratings of players would fall, all
// together, in Elo squared, with a group of games of player a on each seat in turn against b
// on the others.
func (d *Design) Gain(players []int, a, b int) (sum float64) {
	moved, weight := d.update(a, b)
	for _, player := range players {
		sum += weight * moved.AtVec(player) * moved.AtVec(player)
	}
	return d.r.scale * d.r.scale * sum
}

// Add counts a group of such games as played. The ratings stay.
func (d *Design) Add(a, b int) {
	moved, weight := d.update(a, b)
	d.covariance.SymRankOne(d.covariance, -weight, moved)
}

// update returns u and w for which the covariance C becomes C - w·u·uᵀ when a group of games
// is played. It measures the difference of two strengths, x = e_a - e_b, with information I, so
// that u is C·x and w is I/(1 + I·xᵀ·C·x) (Sherman and Morrison 1950).
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

// informationOn returns the information on the strength of player a of a game on a seat
// against b: the variance of the derivative of the log-likelihood.
func (f *fit) informationOn(seat, a, b int) (variance float64) {
	seating := make([]int, f.seats)
	for i := range seating {
		seating[i] = b
	}
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
