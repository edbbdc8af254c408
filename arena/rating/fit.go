package rating

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tiro/env"
)

// PriorDeviation is the standard deviation of each parameter's prior in log-odds,
// about 1000 Elo.
const PriorDeviation = 6

// Game is the result of a game.
type Game struct {
	Seating []int // the player on each seat, by its index in Data.Players
	Winners Winners
}

// Group is a group of games that share an opening. It is one observation.
type Group []Game

// Data is the input of Fit.
type Data struct {
	Players []string // distinct names
	Anchor  int      // index of the player whose rating is 0
	Groups  []Group
}

// Ratings are the ratings of all players of a Data, on one scale.
type Ratings struct {
	Players []string
	Anchor  int
	Elo     []float64 // by player, above the anchor

	Covariance [][]float64 // covariance of Elo; 0 for the anchor
	Games      []int       // by player: number of its games
	Points     []float64   // by player: 1 for a win, 1/k for a win shared by k seats

	fit    *fit
	bounds []bounds // by player
}

// eloUnit is Elo per unit of strength.
const eloUnit = 400 / math.Ln10

// Fit rates all players of d. It returns an error if the games do not link all players.
func Fit(d Data) (*Ratings, error) {
	l, err := d.check()
	if err != nil {
		return nil, fmt.Errorf("rating: %w", err)
	}
	f := newFit(d, l)
	if err := f.maximise(); err != nil {
		return nil, fmt.Errorf("rating: %w", err)
	}
	return f.ratings(), nil
}

// check reports the first fault of d, and returns the layout of its parameters.
func (d *Data) check() (l layout, err error) {
	switch {
	case len(d.Players) < 2:
		return l, fmt.Errorf("%d players, at least 2 are required", len(d.Players))
	case d.Anchor < 0 || d.Anchor >= len(d.Players):
		return l, fmt.Errorf("anchor %d is not one of %d players", d.Anchor, len(d.Players))
	}
	for i, name := range d.Players {
		if slices.Contains(d.Players[:i], name) {
			return l, fmt.Errorf("duplicate player %q", name)
		}
	}
	l.players = len(d.Players)
	for i, group := range d.Groups {
		for _, g := range group {
			if l.seats == 0 {
				l.seats = len(g.Seating)
			}
			if err := g.check(l); err != nil {
				return l, fmt.Errorf("group %d: %w", i, err)
			}
		}
	}
	if l.seats == 0 {
		return l, errors.New("no games")
	}
	return l, d.checkLinks()
}

func (g *Game) check(l layout) error {
	switch n := len(g.Seating); {
	case n != l.seats || n < 2 || n > env.MaxPlayers:
		return fmt.Errorf("a game of %d seats: all games must have the same number, 2 to %d", n, env.MaxPlayers)
	case g.Winners == 0 || g.Winners >= 1<<n:
		return fmt.Errorf("winners %b must be a non-empty set of %d seats", g.Winners, n)
	}
	for _, player := range g.Seating {
		if player < 0 || player >= l.players {
			return fmt.Errorf("player %d is not in 0..%d", player, l.players-1)
		}
	}
	return nil
}

// checkLinks returns an error unless games link every player with the anchor.
func (d *Data) checkLinks() error {
	linked := d.reachable(d.Anchor, func(Game, int, int) bool { return true })
	var alone []string
	for player, ok := range linked {
		if !ok {
			alone = append(alone, d.Players[player])
		}
	}
	if len(alone) > 0 {
		return fmt.Errorf("no games link %s with %s, directly or through other players",
			strings.Join(alone, ", "), d.Players[d.Anchor])
	}
	return nil
}

// reachable returns for each player whether it can be reached from the player from. A
// step leads from one seat of a game to another if ok allows it.
func (d *Data) reachable(from int, ok func(g Game, seat, to int) bool) []bool {
	steps := make([]map[int]bool, len(d.Players))
	for i := range steps {
		steps[i] = map[int]bool{}
	}
	for _, group := range d.Groups {
		for _, g := range group {
			for a, player := range g.Seating {
				for b, other := range g.Seating {
					if player != other && ok(g, a, b) {
						steps[player][other] = true
					}
				}
			}
		}
	}
	reached := make([]bool, len(d.Players))
	reached[from] = true
	for open := []int{from}; len(open) > 0; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		for other := range steps[next] {
			if !reached[other] {
				reached[other] = true
				open = append(open, other)
			}
		}
	}
	return reached
}

// fit is the state of a fit.
type fit struct {
	Data
	layout
	distributions map[string]*distribution // by seating
	order         []*distribution          // the same, in order of first appearance
	parameters    []float64
	information   *mat.SymDense // information of the games and the prior
}

func newFit(d Data, l layout) *fit {
	f := &fit{Data: d, layout: l, distributions: map[string]*distribution{}, parameters: make([]float64, l.size())}
	for _, group := range d.Groups {
		for _, g := range group {
			floats.Add(f.distribution(g.Seating).points, g.points())
		}
	}
	return f
}

// distribution returns the distribution of a seating.
func (f *fit) distribution(seating []int) *distribution {
	key := seatingKey(seating)
	d := f.distributions[key]
	if d == nil {
		d = f.newDistribution(seating)
		f.distributions[key] = d
		f.order = append(f.order, d)
	}
	return d
}

// seatingKey returns a map key for a seating.
func seatingKey(seating []int) string {
	var key [4 * env.MaxPlayers]byte
	b := key[:0]
	for _, player := range seating {
		b = binary.LittleEndian.AppendUint32(b, uint32(player))
	}
	return string(b)
}

const (
	maxSteps  = 100
	tolerance = 1e-9  // of the gradient, in games
	rounding  = 1e-12 // relative rounding error of the value
)

// maximise finds the parameters that maximise the likelihood times the prior, by
// Newton's method. The logarithm of the product is concave.
func (f *fit) maximise() error {
	value := f.value(f.parameters)
	for range maxSteps {
		gradient := f.gradient()
		if floats.Norm(gradient, math.Inf(1)) < tolerance {
			return nil
		}
		var step mat.VecDense
		if !solve(&step, f.information, gradient) {
			break
		}
		next, better := make([]float64, f.size()), false
		for scale := 1.0; scale > 1e-9 && !better; scale /= 2 {
			for i := range next {
				next[i] = f.parameters[i] + scale*step.AtVec(i)
			}
			if v := f.value(next); v >= value-rounding*math.Abs(value) {
				f.parameters, value, better = next, v, true
			}
		}
		if !better {
			break // the distributions belong to rejected parameters
		}
	}
	return errors.New("the fit does not converge")
}

// value sets all distributions to parameters, and returns the logarithm of the
// likelihood times the prior.
func (f *fit) value(parameters []float64) float64 {
	sum := -floats.Dot(parameters, parameters) / (2 * PriorDeviation * PriorDeviation)
	for _, d := range f.order {
		d.set(parameters)
		for seat, points := range d.points {
			sum += points * d.logP(seat, parameters)
		}
	}
	return sum
}

// gradient returns the first derivatives of the value, and sets the information.
func (f *fit) gradient() []float64 {
	gradient := make([]float64, f.size())
	f.information = mat.NewSymDense(f.size(), nil)
	for i, x := range f.parameters {
		gradient[i] = -x / (PriorDeviation * PriorDeviation)
		f.information.SetSym(i, i, 1./(PriorDeviation*PriorDeviation))
	}
	for _, d := range f.order {
		d.addScore(gradient, d.points)
		d.addInformation(f.information, floats.Sum(d.points))
	}
	return gradient
}

// solve sets x to the solution of a·x = b, and reports whether a is positive definite.
func solve(x *mat.VecDense, a mat.Symmetric, b []float64) bool {
	var c mat.Cholesky
	return c.Factorize(a) && c.SolveVecTo(x, mat.NewVecDense(len(b), b)) == nil
}

// inverse returns the inverse of a, which the prior makes positive definite.
func inverse(a mat.Symmetric) *mat.SymDense {
	var c mat.Cholesky
	inv := mat.NewSymDense(a.SymmetricDim(), nil)
	if c.Factorize(a) {
		_ = c.InverseTo(inv) // an error only means that the inverse is inexact
	}
	return inv
}
