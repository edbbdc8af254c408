package othello

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"tiro/env"
)

// The two players, which are also the seats.
const (
	Black env.Player = iota
	White
)

const (
	planes           = 5
	policyPlanes     = 2
	ownershipClasses = 3 // a disc of the mover, a disc of the other player, none
	version          = 1
)

var sizeOption = env.Option{Name: "size", Words: []string{"8", "4", "6", "10"}, Help: "side of the board"}

// Options returns the options of the game.
func Options() []env.Option { return []env.Option{sizeOption} }

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	size, err := strconv.Atoi(sizeOption.Words[o.Choice(sizeOption)])
	if err != nil {
		return nil, err
	}
	if err := o.Err(); err != nil {
		return nil, err
	}
	g := &game{geometry: newGeometry(size), name: o.String()}
	g.symmetries = env.GridSymmetries(g.size, g.size, planes, policyPlanes, g.pass())
	return g, nil
}

type game struct {
	geometry
	name       string
	symmetries []env.Symmetry
}

var (
	_ env.Symmetric = (*game)(nil)
	_ env.SeatNamer = (*game)(nil)
	_ env.Explainer = (*game)(nil)
	_ env.Solvable  = (*game)(nil)
	_ env.GTPGame   = (*game)(nil)
)

func (g *game) cells() int { return g.size * g.size }

// pass returns the action of a player without a move.
func (g *game) pass() env.Action { return env.Action(g.cells()) }

func (g *game) Spec() env.Spec {
	return env.Spec{
		Name: g.name, Players: 2,
		Planes: planes, Height: g.size, Width: g.size, PolicyPlanes: policyPlanes,
		MaxPlies: 2 * (g.cells() - 4), OwnershipClasses: ownershipClasses, Version: version,
	}
}

// GTPSetup implements env.GTPGame.
func (g *game) GTPSetup() []string {
	return []string{fmt.Sprintf("boardsize %d", g.size), "clear_board"}
}

// Lead implements env.GTPGame.
func (g *game) Lead(s env.State) float64 { return float64(s.(*state).lead()) }

// Stones implements env.GTPGame. Each disc is a chain.
func (g *game) Stones(s env.State) (discs [][]env.Action) {
	for cell := range g.cells() {
		if b := s.(*state); b.discs[Black].or(b.discs[White]).has(cell) {
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

func (g *game) Symmetries() []env.Symmetry { return g.symmetries }

type state struct {
	game  *game    // never changed
	discs [2]board // by seat
	legal board    // where the player on turn may place a disc
	turn  env.Player
	over  bool
}

var (
	_ env.Positioner      = (*state)(nil)
	_ env.Sampler         = (*state)(nil)
	_ env.Scorer          = (*state)(nil)
	_ env.Ender           = (*state)(nil)
	_ env.OwnershipScorer = (*state)(nil)
	_ env.Drawer          = (*state)(nil)
	_ env.SVGDrawer       = (*state)(nil)
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
	switch lead := s.lead(); {
	case lead > 0:
		v = env.WinFor(Black, 2)
	case lead < 0:
		v = env.WinFor(White, 2)
	}
	return v, true
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
	cells := s.game.cells()
	for plane, b := range [planes]board{own, other, s.legal, s.game.moves(other, own), s.game.all} {
		for i := range cells {
			word := b.low
			if i >= 64 {
				word = b.high
			}
			dst[plane*cells+i] = float32(word >> (i & 63) & 1)
		}
	}
}

// Ownership writes the owner of each cell, 2 if it is empty. The score is the difference of
// discs divided by the number of cells.
func (s *state) Ownership(dst []int8, earlier env.State) (score env.Value) {
	mover := earlier.(*state).turn & 1
	for cell := range dst {
		switch {
		case s.discs[mover].has(cell):
			dst[cell] = 0
		case s.discs[1-mover].has(cell):
			dst[cell] = 1
		default:
			dst[cell] = 2
		}
	}
	lead := float32(s.lead()) / float32(s.game.cells())
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
			s.discs[seat] = s.discs[seat].or(cellOf(env.GridImage(s.game.size, s.game.size, discs.first(), n)))
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
	corners := 0
	for _, cell := range [...]int{0, g.size - 1, g.cells() - g.size, g.cells() - 1} {
		switch {
		case black.has(cell):
			corners++
		case white.has(cell):
			corners--
		}
	}
	moves := g.moves(black, white).len() - g.moves(white, black).len()
	full := float32(black.len()+white.len()) / float32(g.cells())
	d := float32(8*corners) + float32(2*moves) + float32(float32(s.lead())*float32(full*full))
	d /= 8 + max(d, -d)
	return env.Value{Black: d, White: -d}
}
