package othello

import (
	_ "embed"
	"fmt"
	"math/rand/v2"

	"tiro/env"
	"tiro/env/grid"
)

// The two players, which are also the seats.
const (
	Black env.Player = iota
	White
)

var sizeOption = env.Option{Name: "size", Words: []string{"8", "4", "6", "10"}, Help: "side of the board"}

// planes are the observation planes.
var planes = []env.Plane{
	{Name: "own-discs", Meaning: "1 where the mover has a disc"},
	{Name: "enemy-discs", Meaning: "1 where the other player has a disc"},
	{Name: "own-moves", Meaning: "1 where the mover may place a disc"},
	{Name: "enemy-moves", Meaning: "1 where the other player could place a disc if on turn"},
	{Name: "board", Meaning: "1 everywhere"},
}

// Options returns the options that New reads.
func Options() []env.Option { return []env.Option{sizeOption} }

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	size := o.Number(sizeOption)
	if err := o.Err(); err != nil {
		return nil, err
	}
	return &game{newGeometry(size), grid.New(grid.Layout{
		Name: o.String(), Version: 1, MaxPlies: 2 * (size*size - 4),
		Width: size, Height: size, TopDown: true, Symbols: "-XO", Turns: "XO", Colours: [2]string{"1;38;5;34", "1"},
		Planes: planes, Actions: []string{"place a disc on the cell", "pass (at the first cell)"}, Pass: true,
		Look: grid.Look{
			Side: 40, Board: "#3f8f5f", Cells: `fill="none" stroke="#1f5237"`, Mark: "#ffb000",
			Pieces: [2]string{"Black disc", "White disc"}, Seats: [2]string{"#1a1a1a", "#fafafa"},
		},
	})}, nil
}

type game struct {
	geometry
	grid.Board
}

var (
	_ grid.Game     = (*game)(nil)
	_ env.SeatNamer = (*game)(nil)
	_ env.Solvable  = (*game)(nil)
	_ env.GTPGame   = (*game)(nil)
)

// pass returns the action of a player without a move.
func (g *game) pass() env.Action { return env.Action(g.Cells()) }

// GTPSetup implements env.GTPGame.
func (g *game) GTPSetup() []string {
	return []string{fmt.Sprintf("boardsize %d", g.size), "clear_board"}
}

// Lead implements env.GTPGame.
func (g *game) Lead(s env.State) float64 { return float64(s.(*state).lead()) }

// Stones implements env.GTPGame. Each disc is a chain.
func (g *game) Stones(s env.State) (discs [][]env.Action) {
	for cell := range g.Cells() {
		if s.(*state).At(cell) > 0 {
			discs = append(discs, []env.Action{env.Action(cell)})
		}
	}
	return discs
}

// SeatName returns Black or White.
func (g *game) SeatName(p env.Player) string { return [...]string{"Black", "White"}[p] }

func (g *game) New() env.State {
	half := g.size / 2
	at := func(row, column int) board { return cellOf(row*g.size + column) }
	s := &state{game: g}
	s.discs[White] = at(half-1, half-1).or(at(half, half))
	s.discs[Black] = at(half-1, half).or(at(half, half-1))
	s.look()
	return s
}

//go:embed rules.txt
var rulesText string

// Rules returns the rules under the game's options.
func (g *game) Rules() env.Rules {
	s := g.New()
	move := env.Names(s)[0]
	return env.Rules{
		Text:  grid.Fill(rulesText, s, "{size}", g.size, "{move}", move),
		Moves: []env.ShownMove{{Move: move}},
	}
}

type state struct {
	game  *game    // never changed
	discs [2]board // by seat
	legal board    // where the player on turn may place a disc
	turn  env.Player
	over  bool
}

var (
	_ grid.State      = (*state)(nil)
	_ env.Sampler     = (*state)(nil)
	_ env.TurnCounter = (*state)(nil)
)

// sides returns the discs of the player on turn and of the opponent.
func (s *state) sides() (own, other board) { return s.discs[s.turn&1], s.discs[1-s.turn&1] }

// look computes the legal moves and whether the game is over.
func (s *state) look() {
	own, other := s.sides()
	s.legal = s.game.moves(own, other)
	s.over = s.legal.empty() && s.game.moves(other, own).empty()
}

func (s *state) Turn() env.Player { return s.turn }

func (s *state) Legal(dst []env.Action) []env.Action {
	if s.legal.empty() && !s.over {
		return append(dst, s.game.pass())
	}
	for b := s.legal; !b.empty(); b = b.rest() {
		dst = append(dst, env.Action(b.first()))
	}
	return dst
}

func (s *state) Sample(rng *rand.Rand) env.Action {
	b := s.legal
	n := rng.IntN(max(1, b.len()))
	if b.empty() {
		return s.game.pass()
	}
	for range n {
		b = b.rest()
	}
	return env.Action(b.first())
}

func (s *state) Play(a env.Action) {
	if a != s.game.pass() {
		own, other := s.sides()
		disc := cellOf(int(a))
		flipped := s.game.flips(own, other, disc)
		s.discs[s.turn&1] = own.or(disc).or(flipped)
		s.discs[1-s.turn&1] = other.not(flipped)
	}
	s.turn = 1 - s.turn
	s.look()
}

// lead returns Black's lead in discs.
func (s *state) lead() int { return s.discs[Black].len() - s.discs[White].len() }

func (s *state) Result() (v env.Value, over bool) {
	if !s.over {
		return v, false
	}
	return env.WinByLead(s.lead()), true
}

// Ending returns "full" or "no-moves".
func (s *state) Ending() string {
	switch {
	case !s.over:
		return ""
	case s.discs[Black].or(s.discs[White]) == s.game.all:
		return "full"
	}
	return "no-moves"
}

func (s *state) Observe(dst []float32) {
	own, other := s.sides()
	cells := s.game.Cells()
	for p, b := range [...]board{own, other, s.legal, s.game.moves(other, own), s.game.all} {
		plane := dst[p*cells : (p+1)*cells]
		for i := range plane {
			word := b.low
			if i >= 64 {
				word = b.high
			}
			plane[i] = float32(word >> (i & 63) & 1)
		}
	}
}

// Ownership writes the owner of each cell, 2 if it is empty. The score is the difference of
// discs divided by the number of cells.
func (s *state) Ownership(dst []int8, earlier env.State) (score env.Value) {
	grid.Owners(dst, earlier.Turn(), s.At)
	lead := float32(s.lead()) / float32(s.game.Cells())
	return env.Value{Black: lead, White: -lead}
}

func (s *state) CopyFrom(src env.State) { *s = *src.(*state) }

// SetImage sets the state to the image of src under symmetry n. Half of the symmetries swap
// the colours of the start position.
func (s *state) SetImage(src env.State, n int) {
	o := src.(*state)
	*s = state{game: o.game, turn: o.turn}
	for seat, discs := range o.discs {
		for ; !discs.empty(); discs = discs.rest() {
			s.discs[seat] = s.discs[seat].or(cellOf(s.game.Image(discs.first(), n)))
		}
	}
	s.look()
}

func (s *state) Hash() uint64 {
	b, w := &s.discs[Black], &s.discs[White]
	low := env.Fold(b.low^0x9e3779b97f4a7c15, w.low^0xbf58476d1ce4e5b9)
	high := env.Fold(b.high^0x94d049bb133111eb, w.high^0xd6e8feb86659fd93^uint64(s.turn))
	return env.Fold(low^0xa0761d6478bd642f, high^0xe7037ed1a0b428db)
}

// Score weights corners with 8, moves with 2, and discs according to the number of discs on
// the board. The difference d is mapped to d/(8+|d|).
func (s *state) Score() env.Value {
	g := s.game
	black, white := s.discs[Black], s.discs[White]
	corners := black.and(g.corners).len() - white.and(g.corners).len()
	moves := g.moves(black, white).len() - g.moves(white, black).len()
	full := float32(black.len()+white.len()) / float32(g.Cells())
	d := float32(8*corners) + float32(2*moves) + float32(float32(s.lead())*float32(full*full))
	return env.EstimateByLead(d, 8)
}

// Perft counts as other Othello programs do: a pass is a ply, and a game that ends earlier
// counts once (A. Bik, "Computing perft for Reversi").
func (s *state) Perft(depth int) (n uint64) {
	switch {
	case s.over || depth == 0:
		return 1
	case depth == 1:
		return uint64(max(1, s.legal.len()))
	}
	var buffer [maxMoves]env.Action
	for _, a := range s.Legal(buffer[:0]) {
		next := *s
		next.Play(a)
		n += next.Perft(depth - 1)
	}
	return n
}

// Divide implements env.TurnCounter.
func (s *state) Divide() (list []env.CountedTurn) {
	for _, a := range s.Legal(nil) {
		next := *s
		next.Play(a)
		list = append(list, env.CountedTurn{Move: s.ActionString(a), After: &next})
	}
	return list
}
