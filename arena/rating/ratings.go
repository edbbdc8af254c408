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

func (f *fit) ratings() (*Ratings, error) {
	n := len(f.Players)
	r := &Ratings{
		Players: f.Players, Anchor: f.Anchor, Elo: make([]float64, n),
		Games: make([]int, n), Points: make([]float64, n), fit: f,
	}
	equal := f.equals()
	r.scale = eloUnit * equal.scale
	covariance := f.covariance()
	above := mat.NewDense(n, f.size(), nil) // gradients of the ratings above the anchor
	for i := range n {
		row := above.RawRowView(i)
		difference := f.parameters[i] - f.parameters[f.Anchor]
		r.Elo[i] = r.scale * difference
		if i != f.Anchor {
			row[i], row[f.Anchor] = r.scale, -r.scale
			for t := range f.ties {
				row[f.tie(t)] = eloUnit * (difference * equal.slope[t])
			}
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
	r.bounds = f.bounds(r.scale)
	return r, nil
}

// count adds a game to the players' games and points.
func (r *Ratings) count(g Game) {
	for seat, player := range g.Seating {
		if !slices.Contains(g.Seating[:seat], player) {
			r.Games[player]++
		}
		if g.Winners&(1<<seat) != 0 {
			r.Points[player] += 1 / float64(g.Winners.count())
		}
	}
}

// equals describes a game between equal players without advantages of seats.
type equals struct {
	p     []float64 // [seats] probability that k seats win, for k from 1
	scale float64   // variance of a seat's points, relative to the variance without shared wins
	slope []float64 // [ties] derivative of scale by log d
}

// equals returns the description of a game between equal players. With n seats, the
// mean of a seat's squared points is the sum of p_k/(n·k) over k.
func (f *fit) equals() equals {
	parameters := make([]float64, f.size())
	for t := range f.ties {
		parameters[f.tie(t)] = f.parameters[f.tie(t)]
	}
	seating := make([]int, f.seats) // one player on all seats
	d := f.newDistribution(seating)
	d.set(parameters)
	e := equals{p: make([]float64, f.seats)}
	for i, w := range d.outcomes {
		e.p[w.count()-1] += d.p[i]
	}
	n, mean := float64(f.seats), 0.0
	for k, p := range e.p {
		mean += p / float64(k+1)
	}
	e.scale = (mean - 1/n) / (1 - 1/n)
	for _, k := range f.ties {
		e.slope = append(e.slope, e.p[k-1]*(1/float64(k)-mean)/(1-1/n))
	}
	return e
}

// Interval returns the rating of a player with its 95% interval.
func (r *Ratings) Interval(player int) arena.Interval { return r.Difference(player, r.Anchor) }

// Difference returns the rating of player a minus the rating of player b, with its 95%
// interval. The interval has only one bound if one of them has won everything or
// nothing against the players that link them. It has none if this holds for both.
func (r *Ratings) Difference(a, b int) arena.Interval {
	value := r.Elo[a] - r.Elo[b]
	anchored := r.bounds[r.Anchor].component
	x, y := r.bounds[a], r.bounds[b]
	switch {
	case x.component == y.component:
		half := r.Error(a, b)
		return arena.Interval{Value: value, Low: value - half, High: value + half}
	case y.component == anchored:
		return arena.Interval{Value: value, Low: value + x.low, High: value + x.high}
	case x.component == anchored:
		return arena.Interval{Value: value, Low: value - y.high, High: value - y.low}
	}
	return arena.Interval{Value: value, Low: math.Inf(-1), High: math.Inf(1)}
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
	points := make([]float64, len(seating))
	for i, w := range d.outcomes {
		for seat := range seating {
			if w&(1<<seat) != 0 {
				points[seat] += d.p[i] / float64(w.count())
			}
		}
	}
	return points
}
