package rating

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// layout is the order of the parameters: first the strengths of all players, then the
// advantages of all seats but the last.
type layout struct {
	players, seats int
}

func (l *layout) size() int { return l.players + l.seats - 1 }

// feature is one entry of a sparse vector over the parameters.
type feature struct {
	at int
	x  float64
}

// features returns the gradient of the logarithm of a seat's worth.
func (l *layout) features(player, seat int) []feature {
	all := []feature{{player, 1}}
	if seat < l.seats-1 {
		return append(all, feature{l.players + seat, 1})
	}
	for other := range l.seats - 1 { // the advantages sum to 0
		all = append(all, feature{l.players + other, -1})
	}
	return all
}

// distribution is the model's distribution of the point of a game with a given seating.
type distribution struct {
	features [][]feature // by seat
	points   []float64   // by seat: points in all games
	p        []float64   // by seat: expected points in a game
	logSum   float64     // logarithm of the sum of all worths
	mean     []float64   // by parameter: expected feature
	touched  []int       // parameters that occur in a feature
}

// newDistribution returns the distribution of a seating, before any call of set.
func (l *layout) newDistribution(seating []int) *distribution {
	d := &distribution{mean: make([]float64, l.size()), points: make([]float64, l.seats), p: make([]float64, l.seats)}
	for seat, player := range seating {
		d.features = append(d.features, l.features(player, seat))
		for _, f := range d.features[seat] {
			if !slices.Contains(d.touched, f.at) {
				d.touched = append(d.touched, f.at)
			}
		}
	}
	return d
}

// set computes the distribution for parameters.
func (d *distribution) set(parameters []float64) {
	most := 0.0
	for i, fs := range d.features {
		d.p[i] = 0
		for _, f := range fs {
			d.p[i] += f.x * parameters[f.at]
		}
		if i == 0 || d.p[i] > most {
			most = d.p[i]
		}
	}
	sum := 0.0
	for i := range d.p {
		d.p[i] = math.Exp(d.p[i] - most)
		sum += d.p[i]
	}
	d.logSum = most + math.Log(sum)
	for _, at := range d.touched {
		d.mean[at] = 0
	}
	for i, fs := range d.features {
		d.p[i] /= sum
		for _, f := range fs {
			d.mean[f.at] += d.p[i] * f.x
		}
	}
}

// addScore adds the gradient of the log-likelihood of points by seat.
func (d *distribution) addScore(score, points []float64) {
	for seat, x := range points {
		for _, f := range d.features[seat] {
			score[f.at] += x * f.x
		}
	}
	for _, at := range d.touched {
		score[at] -= floats.Sum(points) * d.mean[at]
	}
}

// addInformation adds the information of a game, which is the covariance of the
// features, multiplied by times.
func (d *distribution) addInformation(m *mat.SymDense, times float64) {
	add := func(p, q int, x float64) {
		if q >= p { // each pair once
			m.SetSym(p, q, m.At(p, q)+times*x)
		}
	}
	for i, fs := range d.features {
		for _, f := range fs {
			for _, g := range fs {
				add(f.at, g.at, d.p[i]*f.x*g.x)
			}
		}
	}
	for _, p := range d.touched {
		for _, q := range d.touched {
			add(p, q, -d.mean[p]*d.mean[q])
		}
	}
}

// logP returns the logarithm of a seat's expected points. The distribution must be set to
// parameters.
func (d *distribution) logP(seat int, parameters []float64) float64 {
	sum := -d.logSum
	for _, f := range d.features[seat] {
		sum += f.x * parameters[f.at]
	}
	return sum
}

// Winners is the set of seats that won a game: bit i is seat i. In a draw all
// seats win.
type Winners uint8

// points returns the points of a seat: 1 for a win, 1/k for a win shared by k seats.
func (w Winners) points(seat int) float64 {
	return float64(w>>seat&1) / float64(bits.OnesCount8(uint8(w)))
}

// points returns the points by seat.
func (g *Game) points() (all []float64) {
	for seat := range g.Seating {
		all = append(all, g.Winners.points(seat))
	}
	return all
}
