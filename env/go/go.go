package igo

import (
	"fmt"
	"strconv"

	"tiro/env"
)

// The two players, which are also the seats.
const (
	Black env.Player = iota
	White
)

const (
	planes           = 14
	policyPlanes     = 2
	ownershipClasses = 3 // the mover's, the other player's, neither's
	version          = 1
	pliesPerPoint    = 3
	maxPlies         = pliesPerPoint * maxPoints
)

var (
	sizeOption     = env.Option{Name: "size", Default: 9, Min: 5, Max: maxSide, Help: "side of the board"}
	komiOption     = env.Option{Name: "komi", Default: 7, Max: 20, Halves: true, Help: "points for White as compensation for moving second"}
	suicideOption  = env.Option{Name: "suicide", Words: []string{"false", "true"}, Help: "whether a move may remove its own chain"}
	handicapOption = env.Option{Name: "handicap", Words: []string{"0", "2", "3", "4", "5", "6", "7", "8", "9"}, Help: "black stones at the start, on fixed points; White begins. More than 4 need an odd size from 9"}
)

// Options returns the options of the game, in the order of canonical game strings.
func Options() []env.Option {
	return []env.Option{sizeOption, komiOption, suicideOption, handicapOption}
}

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	g := &game{geometry: newGeometry(o.Int(sizeOption)), halfKomi: o.Halves(komiOption), suicide: o.Choice(suicideOption) == 1}
	handicap, err := strconv.Atoi(handicapOption.Words[o.Choice(handicapOption)])
	if err := o.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if most := g.mostHandicap(); handicap > most {
		return nil, fmt.Errorf("game %s: option handicap=%d: must be at most %d on a board of this size", o, handicap, most)
	}
	g.name = o.String()
	g.symmetries = env.GridSymmetries(g.size, g.size, planes, policyPlanes, g.pass())
	for _, p := range g.starPoints() {
		g.stars.add(p)
	}
	g.start = &state{game: g}
	for _, p := range g.handicapPoints(handicap) {
		g.put(&g.start.board, int8(Black)+1, p, new([2]points))
	}
	if handicap > 0 {
		g.start.turn = White
	}
	g.start.begin(points{})
	return g, nil
}

type game struct {
	geometry
	name       string
	halfKomi   int // in half points
	suicide    bool
	symmetries []env.Symmetry
	stars      points // marked points
	start      *state
}

var (
	_ env.Symmetric   = (*game)(nil)
	_ env.SeatNamer   = (*game)(nil)
	_ env.Explainer   = (*game)(nil)
	_ env.Handicapper = (*game)(nil)
)

// pass returns the action of passing.
func (g *game) pass() env.Action { return env.Action(g.points) }

// maxPlies returns the number of plies after which a game ends.
func (g *game) maxPlies() int { return pliesPerPoint * g.points }

func (g *game) Spec() env.Spec {
	return env.Spec{
		Name: g.name, Players: 2,
		Planes: planes, Height: g.size, Width: g.size, PolicyPlanes: policyPlanes,
		MaxPlies: g.maxPlies(), OwnershipClasses: ownershipClasses, Version: version,
	}
}

// SeatName returns Black or White.
func (g *game) SeatName(p env.Player) string { return [...]string{"Black", "White"}[p] }

func (g *game) New() env.State {
	s := new(state)
	s.CopyFrom(g.start)
	return s
}

// GTPSetup implements env.GTPGame.
func (g *game) GTPSetup() []string {
	setup := []string{fmt.Sprintf("boardsize %d", g.size), "clear_board", fmt.Sprintf("komi %g", float64(g.halfKomi)/2)}
	stones := 0
	for _, colour := range g.start.colour[:g.points] {
		if colour != empty {
			stones++
		}
	}
	if stones > 0 {
		setup = append(setup, fmt.Sprintf("fixed_handicap %d", stones))
	}
	return setup
}

// Lead implements env.GTPGame.
func (g *game) Lead(s env.State) float64 { return float64(s.(*state).halfLead()) / 2 }

// Stones implements env.GTPGame.
func (g *game) Stones(s env.State) (chains [][]env.Action) {
	b, at := &s.(*state).board, map[int16]int{} // index of a chain by its head
	for p := range int16(g.points) {
		if b.colour[p] == empty {
			continue
		}
		i, known := at[b.head[p]]
		if !known {
			i = len(chains)
			at[b.head[p]] = i
			chains = append(chains, nil)
		}
		chains[i] = append(chains[i], env.Action(p))
	}
	return chains
}

// Handicap implements env.Handicapper.
func (g *game) Handicap(n int) (stones []env.Action) {
	for _, p := range g.handicapPoints(min(n, g.mostHandicap())) {
		stones = append(stones, env.Action(p))
	}
	return stones
}

// mostHandicap returns the maximum number of stones of GTP's fixed_handicap.
func (g *game) mostHandicap() int {
	switch {
	case g.size < 7:
		return 0
	case g.size < 9 || g.size%2 == 0:
		return 4
	}
	return 9
}

// handicapPoints returns the points of n handicap stones as in GTP: the corners, the middle
// if n is odd, and the sides.
func (g *game) handicapPoints(n int) (all []int16) {
	low, middle := 2, g.size/2
	if g.size > 12 {
		low = 3
	}
	high := g.size - 1 - low
	at := func(row, column int) { all = append(all, int16(row*g.size+column)) }
	if n >= 2 {
		at(low, low)
		at(high, high)
	}
	if n >= 3 {
		at(low, high)
	}
	if n >= 4 {
		at(high, low)
	}
	if n >= 6 {
		at(middle, low)
		at(middle, high)
	}
	if n >= 8 {
		at(low, middle)
		at(high, middle)
	}
	if n >= 5 && n%2 == 1 {
		at(middle, middle)
	}
	return all
}

// starPoints returns the marked points: the handicap points and the middle.
func (g *game) starPoints() []int16 {
	all := g.handicapPoints(min(g.mostHandicap(), 4))
	if g.size >= 13 {
		all = g.handicapPoints(g.mostHandicap())
	} else if g.size%2 == 1 {
		all = append(all, int16(g.points/2))
	}
	return all
}

func (g *game) Symmetries() []env.Symmetry { return g.symmetries }
