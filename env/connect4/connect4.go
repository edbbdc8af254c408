package connect4

import (
	"iter"
	"math/bits"

	"tiro/env"
	"tiro/env/grid"
)

// Width and Height are the board's size; its cells are Width*Height.
const (
	Width  = 7
	Height = 6
)

// A board is a set of cells with seven bits per column. The top bit of a column, marked -,
// is never set, so that lines do not continue in the next column.
//
//   - -  -  -  -  -  -
//     5 12 19 26 33 40 47
//     4 11 18 25 32 39 46
//     3 10 17 24 31 38 45
//     2  9 16 23 30 37 44
//     1  8 15 22 29 36 43
//     0  7 14 21 28 35 42
type board = uint64

const (
	stride = Height + 1

	bottomRow board = 1 | 1<<stride | 1<<(2*stride) | 1<<(3*stride) | 1<<(4*stride) | 1<<(5*stride) | 1<<(6*stride)
	allCells        = bottomRow * (1<<Height - 1)
)

// bit returns the board with one cell.
func bit(row, column int) board { return 1 << (column*stride + row) }

// lines are the distances between neighbours in a column, a row and the diagonals.
var lines = [4]int{1, stride, stride - 1, stride + 1}

// hasFour reports whether b contains four cells in a line.
func hasFour(b board) bool {
	for _, d := range lines {
		pairs := b & (b >> d)
		if pairs&(pairs>>(2*d)) != 0 {
			return true
		}
	}
	return false
}

var planesOption = env.Option{Name: "planes", Words: []string{"all", "stones"}, Help: "observation planes of the network: all planes, or only the stones"}

// Options returns the options that New reads.
func Options() []env.Option { return []env.Option{planesOption} }

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	g := &game{stonesOnly: o.Choice(planesOption) == 1}
	if err := o.Err(); err != nil {
		return nil, err
	}
	l := layout
	l.Name, l.Planes = o.String(), planes
	if g.stonesOnly {
		l.Planes = []env.Plane{planes[0], planes[1], planes[3]}
	}
	g.Board = grid.New(l)
	return g, nil
}

type game struct {
	grid.Board
	stonesOnly bool // observe only the stones
}

var (
	_ grid.Game    = (*game)(nil)
	_ env.Solvable = (*game)(nil)
)

func (g *game) New() env.State { return &State{stonesOnly: g.stonesOnly} }

// State is a position of Connect Four. The zero value is the start position with all
// observation planes.
type State struct {
	stones     [2]board // by seat
	won        bool     // by the player who dropped the last stone
	stonesOnly bool     // observe only the stones
}

var (
	_ grid.State   = (*State)(nil)
	_ env.Finisher = (*State)(nil)
)

// sides returns the stones of the mover and of the other player.
func (s *State) sides() (mover, other board) {
	return s.stones[s.Turn()], s.stones[1-s.Turn()]
}

// Plies returns the number of stones on the board.
func (s *State) Plies() int { return bits.OnesCount64(s.stones[0] | s.stones[1]) }

// Turn returns the number of stones modulo 2, also at the end of the game.
func (s *State) Turn() env.Player { return env.Player(s.Plies() & 1) }

// landing returns the cells where a dropped stone can land.
func (s *State) landing() board {
	return (s.stones[0] | s.stones[1] + bottomRow) & allCells
}

// Legal appends the landing cells in ascending order.
func (s *State) Legal(dst []env.Action) []env.Action {
	if s.won {
		return dst
	}
	landing := s.landing()
	for row := 0; landing != 0; row++ {
		for cells := landing & (bottomRow << row); cells != 0; cells &= cells - 1 {
			column := bits.TrailingZeros64(cells) / stride
			dst = append(dst, env.Action(row*Width+column))
		}
		landing &^= bottomRow << row
	}
	return dst
}

// Finishing appends the actions that make four in a row or fill the board.
func (s *State) Finishing(dst, legal []env.Action) []env.Action {
	if s.Plies() == Width*Height-1 {
		return append(dst, legal...)
	}
	mover, other := s.sides()
	winning := wins(mover, mover|other) & s.landing()
	if winning == 0 {
		return dst
	}
	for _, a := range legal {
		if winning&bit(int(a)/Width, int(a)%Width) != 0 {
			dst = append(dst, a)
		}
	}
	return dst
}

// Play drops a stone.
func (s *State) Play(a env.Action) {
	mover := s.Turn()
	s.stones[mover] |= bit(int(a)/Width, int(a)%Width)
	s.won = hasFour(s.stones[mover])
}

// Result returns the payoffs if four are in a row or the board is full.
func (s *State) Result() (v env.Value, over bool) {
	switch {
	case s.won:
		return env.WinFor(1-s.Turn(), 2), true
	case s.stones[0]|s.stones[1] == allCells:
		return env.Value{}, true
	}
	return env.Value{}, false
}

// Ending returns "four-in-row" or "full".
func (s *State) Ending() string {
	switch _, over := s.Result(); {
	case s.won:
		return "four-in-row"
	case over:
		return "full"
	}
	return ""
}

// Observe writes the planes that the variable planes lists.
func (s *State) Observe(dst []float32) {
	mover, other := s.sides()
	all := mover | other
	var began board
	if s.Turn() == 0 {
		began = allCells
	}
	seen := []board{
		mover, other, s.landing(), allCells,
		wins(mover, all), wins(other, all), oddRows, began,
	}
	if s.stonesOnly {
		seen = []board{mover, other, allCells}
	}
	const cells = Width * Height
	for _, b := range seen {
		for i := range cells {
			dst[i] = float32(b >> (i%Width*stride + i/Width) & 1)
		}
		dst = dst[cells:]
	}
	if s.stonesOnly {
		return
	}
	countLines(dst[:cells], mover, other)
	countLines(dst[cells:2*cells], other, mover)
	p := newPosition(mover, all, s.Plies())
	low, high := p.followUp()
	for i := range cells {
		dst[2*cells+i], dst[3*cells+i] = sureness(low), sureness(-high)
	}
}

// countLines writes the planes of lines: for each empty cell, how many lines through it are open
// to own, weighted by the stones in them.
func countLines(plane []float32, own, other board) {
	weight := [5]float32{1. / 16, 1. / 4, 1} // cells that complete a line have a plane of their own
	clear(plane)
	for line := range openLines(other) {
		w := weight[bits.OnesCount64(line&own)]
		for empty := line &^ own; empty != 0; empty &= empty - 1 {
			at := bits.TrailingZeros64(empty)
			plane[at%stride*Width+at/stride] += w
		}
	}
}

// sureness returns 1 for a lower bound of the score that is a win, 1/2 for a draw and 0 for a
// loss.
func sureness(bound int) float32 { return float32(1+min(1, max(-1, bound))) / 2 }

// Ownership writes the owner of each cell that was empty in earlier, 2 if it is still
// empty. The score is the payoff times the fraction of empty cells, so that earlier wins
// score more.
func (s *State) Ownership(dst []int8, earlier env.State) (score env.Value) {
	grid.OwnersSince(dst, earlier.(*State), s)
	score, _ = s.Result()
	empty := float32(Width*Height-s.Plies()) / (Width * Height)
	return env.Value{score[0] * empty, score[1] * empty}
}

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src env.State) { *s = *src.(*State) }

// Hash scrambles a number that identifies the position: the stones of one player, plus all
// stones, plus the bottom row (J. Tromp's encoding).
func (s *State) Hash() uint64 {
	return env.Mix(s.stones[0] + (s.stones[0] | s.stones[1]) + bottomRow)
}

// Score adds up the lines of four cells that contain stones of only one player. A line with
// three stones is worth 1, and each stone less divides this by 8. The difference d is
// mapped to d/(1+|d|).
func (s *State) Score() env.Value {
	var values [2]float32
	for seat, stones := range s.stones {
		for line := range openLines(s.stones[1-seat]) {
			values[seat] += lineWeight[bits.OnesCount64(line&stones)]
		}
	}
	return env.EstimateByLead(values[0]-values[1], 1)
}

// openLines yields the lines of four cells without a stone of other.
func openLines(other board) iter.Seq[board] {
	return func(yield func(board) bool) {
		free := allCells &^ other
		for _, d := range lines {
			pairs := free & (free >> d)
			for starts := pairs & (pairs >> (2 * d)); starts != 0; starts &= starts - 1 {
				first := starts & -starts
				if !yield(first | first<<d | first<<(2*d) | first<<(3*d)) {
					return
				}
			}
		}
	}
}

// lineWeight is the value of a line by its number of stones.
var lineWeight = [5]float32{0, 1. / 64, 1. / 8, 1, 8}
