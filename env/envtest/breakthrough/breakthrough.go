package breakthrough

import (
	"errors"
	"fmt"
	"math/bits"

	"tiro/env"
	"tiro/env/grid"
)

var side = env.Option{Name: "size", Default: 8, Min: 5, Max: 8, Help: "rows and columns"}

// Entry returns the entry for a table of games.
func Entry() env.Entry {
	return env.Entry{Name: "breakthrough", Title: "Breakthrough, two players", Options: []env.Option{side}, Make: New}
}

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	g := &game{size: o.Int(side)}
	if err := o.Err(); err != nil {
		return nil, err
	}
	g.name = o.String()
	g.symmetries = g.makeSymmetries()
	g.layout = grid.Layout{
		Width: g.size, Height: g.size, Symbols: ".wb", Separator: "/", Turns: "wb",
		Colours: [2]string{"1;33", "1;34"}, // yellow and blue
		Look: grid.Look{
			Side: 40, Board: "#efe4d0", Cells: `fill="none" stroke="#8a7755"`, Mark: "#c2185b",
			Pieces: [2]string{"White piece", "Black piece"}, Seats: [2]string{"#fafafa", "#1a1a1a"},
		},
	}
	return g, nil
}

type game struct {
	name       string
	size       int
	symmetries []env.Symmetry
	layout     grid.Layout // for notation and drawings
}

const planes = 3

func (g *game) Spec() env.Spec {
	n := g.size
	return env.Spec{
		Name: g.name, Players: 2,
		Planes: planes, Height: n, Width: n, PolicyPlanes: 3,
		// Every ply moves a piece one row ahead: at most n-1 rows for each of the n
		// pieces in a player's first row, n-2 for each in the second.
		MaxPlies: 2 * (n*(n-1) + n*(n-2)), Version: 1,
	}
}

func (g *game) New() env.State {
	rows := uint64(1)<<(2*g.size) - 1
	return &state{game: g, pieces: [2]uint64{rows, rows << ((g.size - 2) * g.size)}}
}

type state struct {
	game   *game     // never changed
	pieces [2]uint64 // by seat; bit row*size + column, row 0 is White's first
	turn   env.Player
}

func (s *state) Turn() env.Player { return s.turn }

// seen rotates the board for Black: it maps a cell of the board to the mover's frame, and
// also back.
func (s *state) seen(cell int) int {
	if s.turn == 1 {
		return s.game.size*s.game.size - 1 - cell
	}
	return cell
}

func (s *state) has(seat env.Player, cell int) bool { return s.pieces[seat]>>cell&1 != 0 }

// move returns the origin and destination of an action on the board. From the mover's
// viewpoint, the first size*size actions move ahead to the left, the next straight ahead,
// the last ahead to the right.
func (s *state) move(a env.Action) (from, to int) {
	n := s.game.size
	plane, cell := int(a)/(n*n), int(a)%(n*n)
	return s.seen(cell), s.seen(cell + n + plane - 1)
}

func (s *state) Legal(dst []env.Action) []env.Action {
	if _, over := s.Result(); over {
		return dst
	}
	n := s.game.size
	for a := range env.Action(3 * n * n) {
		plane, row, column := int(a)/(n*n), int(a)/n%n, int(a)%n
		if row == n-1 || column+plane-1 < 0 || column+plane-1 >= n {
			continue // off the board
		}
		from, to := s.move(a)
		blocked := s.has(s.turn, to) || plane == 1 && s.has(1-s.turn, to)
		if s.has(s.turn, from) && !blocked {
			dst = append(dst, a)
		}
	}
	return dst
}

func (s *state) Play(a env.Action) {
	from, to := s.move(a)
	s.pieces[s.turn] ^= 1<<from | 1<<to
	s.pieces[1-s.turn] &^= 1 << to
	s.turn = 1 - s.turn
}

func (s *state) Result() (v env.Value, over bool) {
	if s.Ending() == "" {
		return v, false
	}
	return env.WinFor(1-s.turn, 2), true
}

// Ending returns "last-row" or "last-piece".
func (s *state) Ending() string {
	n := s.game.size
	goals := [2]uint64{(1<<n - 1) << (n * (n - 1)), 1<<n - 1}
	switch {
	case s.pieces[1-s.turn]&goals[1-s.turn] != 0:
		return "last-row"
	case s.pieces[s.turn] == 0:
		return "last-piece"
	}
	return ""
}

// Observe writes the mover's pieces, the other player's pieces, and the board.
func (s *state) Observe(dst []float32) {
	clear(dst)
	cells := s.game.size * s.game.size
	for cell := range cells {
		switch at := s.seen(cell); {
		case s.has(s.turn, at):
			dst[cell] = 1
		case s.has(1-s.turn, at):
			dst[cells+cell] = 1
		}
		dst[2*cells+cell] = 1
	}
}

func (s *state) CopyFrom(src env.State) { *s = *src.(*state) }

func (s *state) Hash() uint64 {
	return env.Mix(env.Mix(env.Mix(s.pieces[0])^s.pieces[1]) + uint64(s.turn))
}

// ActionString returns the two cells, such as b2-b3.
func (s *state) ActionString(a env.Action) string {
	from, to := s.move(a)
	return s.game.layout.CellName(s.turn, from) + "-" + s.game.layout.CellName(s.turn, to)
}

// At implements grid.Position.
func (s *state) At(cell int) int {
	for seat := range env.Player(2) {
		if s.has(seat, cell) {
			return 1 + int(seat)
		}
	}
	return 0
}

func (s *state) String() string { return s.Position() }

// Position returns the rows from the top and the player on turn, such as
// "bbbbb/bbbbb/...../wwwww/wwwww w".
func (s *state) Position() string { return s.game.layout.Text(s) }

func (s *state) SetPosition(pos string) error {
	next := state{game: s.game}
	if err := next.read(pos); err != nil {
		return fmt.Errorf("breakthrough position %.200q: %w", pos, err)
	}
	*s = next
	return nil
}

func (s *state) read(pos string) (err error) {
	put := func(cell int, seat env.Player) { s.pieces[seat] |= 1 << cell }
	if s.turn, err = s.game.layout.Parse(pos, put); err != nil {
		return err
	}
	for seat, pieces := range s.pieces {
		if count := bits.OnesCount64(pieces); count > 2*s.game.size {
			return fmt.Errorf("%d pieces of %s, more than %d", count, s.game.SeatName(env.Player(seat)), 2*s.game.size)
		}
	}
	other := *s
	if other.turn = 1 - s.turn; other.Ending() != "" {
		return errors.New("the player on turn has already won")
	}
	return nil
}

// Draw returns the board with its coordinates.
func (s *state) Draw(screen env.Screen) string {
	return grid.Join(s.game.layout.Lines(s, screen, nil))
}

// DrawSVG returns the board as a picture.
func (s *state) DrawSVG(since env.State) string {
	p := s.game.layout.Picture(s, since)
	p.Discs(14)
	return p.End()
}

var (
	_ env.Symmetric  = (*game)(nil)
	_ env.SeatNamer  = (*game)(nil)
	_ env.Explainer  = (*game)(nil)
	_ env.Positioner = (*state)(nil)
	_ env.Scorer     = (*state)(nil)
	_ env.Ender      = (*state)(nil)
	_ env.Drawer     = (*state)(nil)
	_ env.SVGDrawer  = (*state)(nil)
)

func (g *game) Symmetries() []env.Symmetry { return g.symmetries }

// makeSymmetries returns the identity and the reflection, which swaps left and right on the
// board and as directions of moves.
func (g *game) makeSymmetries() []env.Symmetry {
	n := g.size
	same := func(i int) int { return i }
	mirror := func(i int) int { return i - i%n + n - 1 - i%n }
	mirrorAction := func(a int) int { return (2-a/(n*n))*n*n + mirror(a%(n*n)) }
	return []env.Symmetry{
		env.NewSymmetry(planes*n*n, 3*n*n, same, same),
		env.NewSymmetry(planes*n*n, 3*n*n, mirror, mirrorAction),
	}
}

func (g *game) SeatName(p env.Player) string { return [...]string{"White", "Black"}[p] }

// Rules returns the rules of the game.
func (g *game) Rules() env.Rules {
	return env.Rules{
		Text: `BREAKTHROUGH, for two players: White and Black

White has the two rows at the bottom of the board, Black those at the top.
White begins. On your turn you move a piece to the next row: straight ahead
or diagonally onto an empty cell, or diagonally onto an enemy piece, which
leaves the board. Type both cells: ` + "`b2-b3`" + `.

You win when a piece of yours reaches the last row or the enemy has no pieces
left.`,
		Moves: []env.ShownMove{{Move: "b2-b3"}},
	}
}

// Score values a piece at the size of the board plus the rows it has advanced. The difference
// d of the sums is mapped to d/(1+|d|).
func (s *state) Score() env.Value {
	n := s.game.size
	d := 0
	for cell := range n * n {
		row := cell / n
		switch {
		case s.has(0, cell):
			d += n + row
		case s.has(1, cell):
			d -= n + n - 1 - row
		}
	}
	return env.EstimateByLead(float32(d), 1)
}
