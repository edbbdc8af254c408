package rating

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// layout is the order of the parameters: first the strengths of all players, then the
// advantages of all seats but the last, then the logarithms of d_k.
type layout struct {
	players, seats int
	ties           []int // numbers of winners that occur, 2 or more
}

func (l *layout) size() int { return l.players + l.seats - 1 + len(l.ties) }

// seat returns the index of seat i's advantage. The last seat has none.
func (l *layout) seat(i int) int { return l.players + i }

// tie returns the index of log d for ties[i].
func (l *layout) tie(i int) int { return l.players + l.seats - 1 + i }

// feature is one entry of a sparse vector over the parameters.
type feature struct {
	at int
	x  float64
}

func (l *layout) outcomes() []Winners {
	var all []Winners
	for w := Winners(1); w < 1<<l.seats; w++ {
		if k := w.count(); k == 1 || slices.Contains(l.ties, k) {
			all = append(all, w)
		}
	}
	return all
}

// features returns the gradient of the logarithm of an outcome's weight.
func (l *layout) features(seating []int, w Winners) []feature {
	k := w.count()
	share := 1 / float64(k)
	var all []feature
	for seat, player := range seating {
		if w&(1<<seat) == 0 {
			continue
		}
		all = append(all, feature{player, share})
		if seat < l.seats-1 {
			all = append(all, feature{l.seat(seat), share})
			continue
		}
		for other := range l.seats - 1 { // the advantages sum to 0
			all = append(all, feature{l.seat(other), -share})
		}
	}
	if k > 1 {
		all = append(all, feature{l.tie(slices.Index(l.ties, k)), 1})
	}
	return all
}

// distribution is the model's distribution of outcomes for a seating.
type distribution struct {
	outcomes []Winners
	features [][]feature // by outcome
	counts   []float64   // by outcome: number of games
	p        []float64   // by outcome: probability
	logSum   float64     // logarithm of the sum of all weights
	mean     []float64   // by parameter: expected feature
	touched  []int       // parameters that occur in a feature
}

// newDistribution returns the distribution of a seating, before any call of set.
func (l *layout) newDistribution(seating []int) *distribution {
	d := &distribution{outcomes: l.outcomes(), mean: make([]float64, l.size())}
	seen := make([]bool, l.size())
	for _, w := range d.outcomes {
		fs := l.features(seating, w)
		for _, f := range fs {
			if !seen[f.at] {
				seen[f.at] = true
				d.touched = append(d.touched, f.at)
			}
		}
		d.features = append(d.features, fs)
	}
	d.counts, d.p = make([]float64, len(d.outcomes)), make([]float64, len(d.outcomes))
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

// addScore adds the gradient of the log-likelihood of a game with the given outcome,
// multiplied by times.
func (d *distribution) addScore(score []float64, outcome int, times float64) {
	for _, f := range d.features[outcome] {
		score[f.at] += times * f.x
	}
	for _, at := range d.touched {
		score[at] -= times * d.mean[at]
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

// logP returns the logarithm of an outcome's probability. The distribution must be set
// to parameters.
func (d *distribution) logP(outcome int, parameters []float64) float64 {
	sum := -d.logSum
	for _, f := range d.features[outcome] {
		sum += f.x * parameters[f.at]
	}
	return sum
}

// Winners is the set of seats that won a game: bit i is seat i. In a draw all
// seats win.
type Winners uint8

func (w Winners) count() int { return bits.OnesCount8(uint8(w)) }
