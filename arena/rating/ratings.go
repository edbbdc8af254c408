package rating

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tiro/arena"
)

// bounds are the component of a player, and bounds of its rating if that is not the
// anchor's component.
type bounds struct {
	component int     // the covariance compares players of the same component
	low, high float64 // in Elo above the player's rating
}

func (f *fit) ratings() *Ratings {
	n := len(f.Players)
	r := &Ratings{
		Players: f.Players, Anchor: f.Anchor, Elo: make([]float64, n),
		Games: make([]int, n), Points: make([]float64, n), fit: f,
	}
	covariance := f.covariance()
	above := mat.NewDense(n, f.size(), nil) // gradients of the ratings above the anchor
	for i := range n {
		row := above.RawRowView(i)
		r.Elo[i] = eloUnit * (f.parameters[i] - f.parameters[f.Anchor])
		if i != f.Anchor {
			row[i], row[f.Anchor] = eloUnit, -eloUnit
		}
	}
	var elo mat.Dense
	elo.Product(above, covariance, above.T())
	for i := range n {
		r.Covariance = append(r.Covariance, elo.RawRowView(i))
	}
	for _, group := range f.Groups {
		for _, g := range group {
			r.count(g)
		}
	}
	r.bounds = f.bounds()
	return r
}

// count adds a game to the players' games and points.
func (r *Ratings) count(g Game) {
	for seat, player := range g.Seating {
		if !slices.Contains(g.Seating[:seat], player) {
			r.Games[player]++
		}
		r.Points[player] += g.Winners.points(seat)
	}
}

// Interval returns the rating of a player with its 95% interval.
func (r *Ratings) Interval(player int) arena.Interval { return r.Difference(player, r.Anchor) }

// Difference returns the rating of player a minus the rating of player b, with its 95%
// interval. If only bounds are known, the value is NaN. The interval has one bound if one of
// them has won everything or nothing against the players that link them, and none if this
// holds for both.
func (r *Ratings) Difference(a, b int) arena.Interval {
	value := r.Elo[a] - r.Elo[b]
	anchored := r.bounds[r.Anchor].component
	x, y := r.bounds[a], r.bounds[b]
	switch {
	case x.component == y.component:
		half := r.Error(a, b)
		return arena.Interval{Value: value, Low: value - half, High: value + half}
	case y.component == anchored:
		return arena.Interval{Value: math.NaN(), Low: value + x.low, High: value + x.high}
	case x.component == anchored:
		return arena.Interval{Value: math.NaN(), Low: value - y.high, High: value - y.low}
	}
	return arena.Interval{Value: math.NaN(), Low: math.Inf(-1), High: math.Inf(1)}
}

// Error returns half the width of the 95% interval of the difference between two
// players. It is meaningless if only a bound is known: see Bounded.
func (r *Ratings) Error(a, b int) float64 {
	variance := r.Covariance[a][a] + r.Covariance[b][b] - 2*r.Covariance[a][b]
	return arena.Z95 * math.Sqrt(max(0, variance))
}

// Bounded reports whether only a bound of the player's rating is known.
func (r *Ratings) Bounded(player int) bool {
	return r.bounds[player].component != r.bounds[r.Anchor].component
}

// Expected returns the expected points of the player on each seat of a game.
func (r *Ratings) Expected(seating []int) []float64 {
	d := r.fit.newDistribution(seating)
	d.set(r.fit.parameters)
	return d.p
}
