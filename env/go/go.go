package igo

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/env/grid"
)

// The two players, which are also the seats.
const (
	Black env.Player = iota
	White
)

const (
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

// actions are the meanings of the policy planes.
var actions = []string{"put a stone on the point", "pass (at the first cell)"}

// Options returns the options of the game, in the order of canonical game strings.
func Options() []env.Option {
	return []env.Option{sizeOption, komiOption, suicideOption, handicapOption}
}

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	size := o.Int(sizeOption)
	g := &game{geometry: newGeometry(size), halfKomi: o.Halves(komiOption), suicide: o.Choice(suicideOption) == 1, handicap: o.Number(handicapOption)}
	if err := o.Err(); err != nil {
		return nil, err
	}
	if most := g.mostHandicap(); g.handicap > most {
		return nil, fmt.Errorf("game %s: option handicap=%d: must be at most %d on a board of this size", o, g.handicap, most)
	}
	g.name = o.String()
	g.Board = grid.New(grid.Layout{
		Width: size, Height: size, Columns: "abcdefghjklmnopqrst"[:size], // i looks like 1
		Symbols: ".XO", Separator: "/", Turns: "bw", Colours: [2]string{"1;38;5;33", "1"},
		Planes: planes, Actions: actions, Pass: true,
	})
	g.markStars()
	g.start = &state{game: g}
	for _, p := range g.handicapPoints(g.handicap) {
		g.put(&g.start.board, int8(Black)+1, p, new([2]points))
	}
	if g.handicap > 0 {
		g.start.turn = White
	}
	g.start.begin(points{})
	return g, nil
}

type game struct {
	geometry
	grid.Board
	name     string
	halfKomi int // in half points
	suicide  bool
	handicap int    // stones
	stars    points // marked points
	start    *state
}

var (
	_ env.Symmetric   = (*game)(nil)
	_ env.SeatNamer   = (*game)(nil)
	_ env.Explainer   = (*game)(nil)
	_ env.Describer   = (*game)(nil)
	_ env.Handicapper = (*game)(nil)
)

// pass returns the action of passing.
func (g *game) pass() env.Action { return env.Action(g.points) }

// maxPlies returns the number of plies after which a game ends.
func (g *game) maxPlies() int { return pliesPerPoint * g.points }

func (g *game) Spec() env.Spec {
	return env.Spec{
		Name: g.name, Players: 2,
		Planes: len(planes), Height: g.size, Width: g.size, PolicyPlanes: len(actions),
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
	setup := []string{fmt.Sprintf("boardsize %d", g.size), "clear_board", fmt.Sprintf("komi %g", g.komi())}
	if g.handicap > 0 {
		setup = append(setup, fmt.Sprintf("fixed_handicap %d", g.handicap))
	}
	return setup
}

func (g *game) komi() float64 { return float64(g.halfKomi) / 2 }

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
	for _, p := range g.handicapPoints(max(0, min(n, g.mostHandicap()))) {
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

// handicapPoints returns the points of n handicap stones as in GTP: the corners, the sides,
// and from 5 on the middle if n is odd.
func (g *game) handicapPoints(n int) (all []int16) {
	low, middle := 2, g.size/2
	if g.size > 12 {
		low = 3
	}
	high := g.size - 1 - low
	inMiddle := n >= 5 && n%2 == 1
	if inMiddle {
		n--
	}
	for _, p := range [][2]int{{low, low}, {high, high}, {low, high}, {high, low}, {middle, low}, {middle, high}, {low, middle}, {high, middle}}[:n] {
		all = append(all, int16(p[0]*g.size+p[1]))
	}
	if inMiddle {
		all = append(all, int16(g.points/2))
	}
	return all
}

// markStars marks the handicap points, on small boards only those in the corners, and the
// middle.
func (g *game) markStars() {
	n := g.mostHandicap()
	if g.size < 13 {
		n = min(n, 4)
	}
	for _, p := range g.handicapPoints(n) {
		g.stars.add(p)
	}
	if g.size%2 == 1 {
		g.stars.add(int16(g.points / 2))
	}
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
	s := g.New().(*state)
	middle := env.Action(g.size / 2 * (g.size + 1))
	if s.colour[middle] != empty {
		middle = 0
	}
	move := s.ActionString(middle)
	s.Play(middle)
	return env.Rules{
		Text: strings.NewReplacer(
			"{size}", strconv.Itoa(g.size), "{suicide}", suicide, "{begins}", begins, "{komi}", fmt.Sprint(g.komi()),
			"{plies}", strconv.Itoa(g.maxPlies()), "{move}", move, "{board}", grid.Inset(s),
		).Replace(rulesText),
		Moves: []env.ShownMove{{Move: move}, {Move: g.ActionName(Black, g.pass())}},
	}
}
