package igo

import (
	"bytes"
	_ "embed"
	"fmt"

	"tiro/env"
	"tiro/env/grid"
)

// The two players, which are also the seats.
const (
	Black env.Player = iota
	White
)

const (
	maxSide       = 19
	maxPoints     = maxSide * maxSide
	pliesPerPoint = 3 // after which a game ends
)

var (
	sizeOption     = env.Option{Name: "size", Default: 9, Min: 5, Max: maxSide, Help: "side of the board"}
	komiOption     = env.Option{Name: "komi", Default: 7, Max: 20, Halves: true, Help: "points for White as compensation for moving second"}
	suicideOption  = env.Option{Name: "suicide", Words: []string{"false", "true"}, Help: "whether a move may remove its own chain"}
	handicapOption = env.Option{Name: "handicap", Words: []string{"0", "2", "3", "4", "5", "6", "7", "8", "9"}, Help: "black stones at the start, on fixed points; White begins. More than 4 need an odd size from 9"}
)

// planes are the observation planes.
var planes = []env.Plane{
	{Name: "own-stones", Meaning: "1 where the mover has a stone"},
	{Name: "enemy-stones", Meaning: "1 where the other player has a stone"},
	{Name: "own-liberties-1", Meaning: "1 where the number of liberties of a chain of the mover's is 1"},
	{Name: "own-liberties-2", Meaning: "1 where the number of liberties of a chain of the mover's is 2"},
	{Name: "own-liberties-3", Meaning: "1 where the number of liberties of a chain of the mover's is 3"},
	{Name: "enemy-liberties-1", Meaning: "1 where the number of liberties of a chain of the other player's is 1"},
	{Name: "enemy-liberties-2", Meaning: "1 where the number of liberties of a chain of the other player's is 2"},
	{Name: "enemy-liberties-3", Meaning: "1 where the number of liberties of a chain of the other player's is 3"},
	{Name: "forbidden", Meaning: "1 where the point is empty and the mover may not play"},
	{Name: "last-move", Meaning: "1 where the last move was"},
	{Name: "move-before", Meaning: "1 where the move before the last was"},
	{Name: "passed", Meaning: "1 everywhere if the last move was a pass"},
	{Name: "komi", Meaning: "everywhere: komi in points divided by 16, below 0 if the mover is Black"},
	{Name: "board", Meaning: "1 everywhere"},
}

// Options returns the options of the game, in the order of canonical game strings.
func Options() []env.Option {
	return []env.Option{sizeOption, komiOption, suicideOption, handicapOption}
}

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	size := o.Int(sizeOption)
	g := &game{
		near: neighbours(size), komi: float64(o.Halves(komiOption)) / 2,
		suicide: o.Choice(suicideOption) == 1, handicap: o.Number(handicapOption),
	}
	if err := o.Err(); err != nil {
		return nil, err
	}
	g.Board = grid.New(grid.Layout{
		Name: o.String(), Version: 1, MaxPlies: pliesPerPoint * size * size,
		Width: size, Height: size, Columns: "abcdefghjklmnopqrst"[:size], // i looks like 1
		Symbols: ".XO", Separator: "/", Turns: "bw", Colours: [2]string{"1;38;5;33", "1"},
		Planes: planes, Actions: []string{"put a stone on the point", "pass (at the first cell)"}, Pass: true,
		Look: grid.Look{
			Side: 32, Board: "#e3b96b", Cells: `fill-opacity="0"`, Mark: "#c2185b",
			Pieces: [2]string{"Black stone", "White stone"}, Seats: [2]string{"#1a1a1a", "#fafafa"},
		},
	})
	if most := len(g.Handicap(9)); g.handicap > most {
		return nil, fmt.Errorf("game %s: option handicap=%d: must be at most %d on a board of this size", o, g.handicap, most)
	}
	g.empty = g.emptySymbols()
	g.start = &state{game: g}
	for _, p := range g.Handicap(g.handicap) {
		g.start.put(int8(Black)+1, int16(p))
		g.start.turn = White
	}
	g.start.begin(grid.Set{})
	return g, nil
}

type game struct {
	grid.Board
	near     [][]int16 // the neighbours of each point
	komi     float64
	suicide  bool
	handicap int    // stones
	empty    []byte // symbols of empty points in drawings
	start    *state
}

var (
	_ grid.Game       = (*game)(nil)
	_ env.SeatNamer   = (*game)(nil)
	_ env.Handicapper = (*game)(nil)
)

// pass returns the action of passing.
func (g *game) pass() env.Action { return env.Action(g.Cells()) }

// SeatName returns Black or White.
func (g *game) SeatName(p env.Player) string { return [...]string{"Black", "White"}[p] }

func (g *game) New() env.State {
	s := new(state)
	s.CopyFrom(g.start)
	return s
}

// GTPSetup implements env.GTPGame.
func (g *game) GTPSetup() []string {
	setup := []string{fmt.Sprintf("boardsize %d", g.Width), "clear_board", fmt.Sprintf("komi %g", g.komi)}
	if g.handicap > 0 {
		setup = append(setup, fmt.Sprintf("fixed_handicap %d", g.handicap))
	}
	return setup
}

// Lead implements env.GTPGame.
func (g *game) Lead(s env.State) float64 { return s.(*state).lead() }

// Stones implements env.GTPGame.
func (g *game) Stones(position env.State) (chains [][]env.Action) {
	s := position.(*state)
	for p := range int16(g.Cells()) {
		if s.points[p].colour == empty || s.points[p].head != p {
			continue
		}
		var chain []env.Action
		for q := range s.stones(p) {
			chain = append(chain, env.Action(q))
		}
		chains = append(chains, chain)
	}
	return chains
}

// Handicap implements env.Handicapper with the points of GTP's fixed_handicap: corners first,
// then sides, and from 5 on the middle if n is odd.
func (g *game) Handicap(n int) (stones []env.Action) {
	low, middle, most := 2, g.Width/2, 9
	switch {
	case g.Width < 7:
		most = 0
	case g.Width < 9 || g.Width%2 == 0:
		most = 4
	}
	if g.Width > 12 {
		low = 3
	}
	high := g.Width - 1 - low
	rows := [...]int{low, high, high, low, middle, middle, low, high, middle}
	columns := [...]int{low, high, low, high, low, high, middle, middle, middle}
	if n = max(0, min(n, most)); n >= 5 && n%2 == 1 {
		rows[n-1], columns[n-1] = middle, middle
	}
	for i := range n {
		stones = append(stones, env.Action(rows[i]*g.Width+columns[i]))
	}
	return stones
}

// emptySymbols returns the symbols of empty points in drawings. Stars are the handicap points,
// on small boards only those in the corners, and the middle.
func (g *game) emptySymbols() []byte {
	symbols, stars := bytes.Repeat([]byte("."), g.Cells()), 9
	if g.Width < 13 {
		stars = 4
	}
	for _, p := range g.Handicap(stars) {
		symbols[p] = '+'
	}
	if g.Width%2 == 1 {
		symbols[g.Cells()/2] = '+'
	}
	return symbols
}

//go:embed rules.txt
var rulesText string

// Rules returns the rules under the game's options.
func (g *game) Rules() env.Rules {
	suicide, begins := "You may not play where your chain would have no liberty, unless you capture.", "Black begins."
	if g.suicide {
		suicide = "If your own chain then has no liberty, it is removed as well."
	}
	if g.handicap > 0 {
		begins = "Black has handicap stones, and White begins."
	}
	const move = "c4" // free on every board
	s := g.New()
	s.Play(env.Action(3*g.Width + 2))
	return env.Rules{
		Text: grid.Fill(rulesText, s, "{size}", g.Width, "{suicide}", suicide, "{begins}", begins, "{komi}", g.komi,
			"{plies}", g.MaxPlies, "{move}", move),
		Moves: []env.ShownMove{{Move: move}, {Move: "pass"}},
	}
}
