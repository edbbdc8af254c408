package mnk

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"tiro/env"
	"tiro/env/grid"
)

const maxSide = 19

var (
	columns = env.Option{Name: "m", Default: 3, Min: 2, Max: maxSide, Help: "columns"}
	rows    = env.Option{Name: "n", Default: 3, Min: 2, Max: maxSide, Help: "rows"}
	inRow   = env.Option{Name: "k", Default: 3, Min: 2, Max: maxSide, Help: "number of stones in a row that wins, at most the longer side"}
)

// planes are the observation planes.
var planes = []env.Plane{
	{Name: "own-stones", Meaning: "1 where the mover has a stone"},
	{Name: "enemy-stones", Meaning: "1 where the other player has a stone"},
	{Name: "board", Meaning: "1 everywhere"},
	{Name: "own-wins", Meaning: "1 where a stone of the mover makes k in a row"},
	{Name: "enemy-wins", Meaning: "1 where a stone of the other player makes k in a row"},
	{Name: "own-fours", Meaning: "where a stone of the mover makes fours: half of the number, at most 2, of cells that would then win"},
	{Name: "enemy-fours", Meaning: "where a stone of the other player makes fours: half of the number, at most 2, of cells that would then win"},
	{Name: "own-threes", Meaning: "where a stone of the mover makes threes: half of the number, at most 2, of directions with at least two of them"},
	{Name: "enemy-threes", Meaning: "where a stone of the other player makes threes: half of the number, at most 2, of directions with at least two of them"},
}

// The numbers of the mover's planes. The one of the other player follows each.
const (
	winsPlane   = 3
	foursPlane  = 5
	threesPlane = 7
)

// Options returns the options of the game, in the order of canonical game strings.
func Options() []env.Option { return []env.Option{columns, rows, inRow} }

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	g := &game{m: o.Int(columns), n: o.Int(rows), k: o.Int(inRow)}
	if err := o.Err(); err != nil {
		return nil, err
	}
	if side := max(g.m, g.n); g.k > side {
		return nil, fmt.Errorf("game %s: option k=%d: must be at most %d, the longer side", o, g.k, side)
	}
	for count := range g.weight {
		g.weight[count] = float32(math.Ldexp(1, 3*(count-g.k+1))) // 8 times as much for each stone
	}
	for direction, d := range directions {
		for cell := range g.m * g.n {
			column, row := cell%g.m, cell/g.m
			if g.inside(column-d[0], row-d[1]) { // it is not the first of its line
				continue
			}
			l := line{first: cell, step: d[1]*g.m + d[0], direction: direction}
			for g.inside(column+l.length*d[0], row+l.length*d[1]) {
				l.length++
			}
			if l.length >= g.k {
				g.lines = append(g.lines, l)
			}
		}
	}
	g.Board = grid.New(grid.Layout{
		Name: o.String(), Version: 2, RulesVersion: 1, MaxPlies: g.m * g.n,
		Width: g.m, Height: g.n, Symbols: ".xo", Separator: "/", Colours: [2]string{"1;38;5;160", "1;38;5;33"},
		Planes: planes, Actions: []string{"place a stone on the cell"},
		Look: grid.Look{
			Side: 40, Board: "#f3ead8", Cells: `fill="none" stroke="#8a7755"`, Mark: "#c2185b",
			Pieces: [2]string{"x", "o"}, Seats: [2]string{"#b3261e", "#1f4e9e"},
		},
	})
	return g, nil
}

type game struct {
	grid.Board
	m, n, k int                  // columns, rows, number of stones in a row that wins
	lines   []line               // all lines of at least k cells, by direction
	weight  [maxSide + 1]float32 // of a window by its number of stones; see Score
}

// line is a row, column or diagonal: length cells, which step separates.
type line struct{ first, step, length, direction int }

func (g *game) inside(column, row int) bool {
	return column >= 0 && column < g.m && row >= 0 && row < g.n
}

var _ grid.Game = (*game)(nil)

func (g *game) New() env.State { return &state{game: g} }

type state struct {
	game   *game       // never changed
	stones [2]grid.Set // by seat
	count  int         // stones on the board
	won    bool        // the player who placed the last stone has won
	hash   uint64
}

var (
	_ grid.State   = (*state)(nil)
	_ env.Sampler  = (*state)(nil)
	_ env.Finisher = (*state)(nil)
)

// Turn returns the number of stones modulo 2, also at the end of the game.
func (s *state) Turn() env.Player { return env.Player(s.count & 1) }

func (s *state) Legal(dst []env.Action) []env.Action {
	if s.won {
		return dst
	}
	cells := s.game.m * s.game.n
	for first := 0; first < cells; first += 64 {
		empty := ^(s.stones[0][first/64] | s.stones[1][first/64])
		if rest := cells - first; rest < 64 {
			empty &= 1<<rest - 1
		}
		for ; empty != 0; empty &= empty - 1 {
			dst = append(dst, env.Action(first+bits.TrailingZeros64(empty)))
		}
	}
	return dst
}

func (s *state) Sample(rng *rand.Rand) env.Action {
	cells := s.game.m * s.game.n
	n := rng.IntN(cells - s.count)
	for first := 0; ; first += 64 {
		empty := ^(s.stones[0][first/64] | s.stones[1][first/64])
		if here := bits.OnesCount64(empty); n >= here {
			n -= here
			continue
		}
		for range n {
			empty &= empty - 1
		}
		return env.Action(first + bits.TrailingZeros64(empty))
	}
}

// Finishing appends the actions that make k in a row or fill the board.
func (s *state) Finishing(dst, legal []env.Action) []env.Action {
	mover := s.Turn()
	for _, a := range legal {
		if len(legal) == 1 || s.inRow(mover, int(a)) {
			dst = append(dst, a)
		}
	}
	return dst
}

func (s *state) Play(a env.Action) {
	mover := s.Turn()
	s.stones[mover].Add(int(a))
	s.hash ^= stoneHash(mover, int(a))
	s.count++
	s.won = s.inRow(mover, int(a))
}

func stoneHash(seat env.Player, cell int) uint64 {
	return env.Mix(uint64(2*cell) + uint64(seat))
}

// directions are the four lines through a cell, as steps of column and row.
var directions = [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

// inRow reports whether a stone of seat on cell is, or would be, one of k in a row.
func (s *state) inRow(seat env.Player, cell int) bool {
	column, row := cell%s.game.m, cell/s.game.m
	for _, d := range directions {
		if 1+s.run(seat, column, row, d[0], d[1])+s.run(seat, column, row, -d[0], -d[1]) >= s.game.k {
			return true
		}
	}
	return false
}

// run counts the stones of seat that directly follow a cell in one direction.
func (s *state) run(seat env.Player, column, row, dc, dr int) int {
	for n := 0; ; n++ {
		column, row = column+dc, row+dr
		if !s.game.inside(column, row) || !s.stones[seat].Has(row*s.game.m+column) {
			return n
		}
	}
}

func (s *state) Result() (v env.Value, over bool) {
	switch {
	case s.won:
		return env.WinFor(1-s.Turn(), 2), true
	case s.count == s.game.m*s.game.n:
		return env.Value{}, true
	}
	return env.Value{}, false
}

// Ending returns "k-in-row" or "full".
func (s *state) Ending() string {
	switch _, over := s.Result(); {
	case s.won:
		return "k-in-row"
	case over:
		return "full"
	}
	return ""
}

// window is k cells in a row: first, first+step and so on.
type window struct {
	first, step, direction int
	stones                 [3]int // by the values of grid.Position.At
}

// windows calls visit with every window, direction by direction.
func (s *state) windows(visit func(window)) {
	var at [maxSide * maxSide]uint8
	for seat := range s.stones {
		for i, word := range s.stones[seat] {
			for ; word != 0; word &= word - 1 {
				at[64*i+bits.TrailingZeros64(word)] = uint8(1 + seat)
			}
		}
	}
	k := s.game.k
	for _, l := range s.game.lines {
		w := window{first: l.first, step: l.step, direction: l.direction}
		for i, last := 0, l.first; i < l.length; i, last = i+1, last+l.step {
			w.stones[at[last]]++
			if i < k-1 {
				continue
			}
			visit(w)
			w.stones[at[w.first]]--
			w.first += l.step
		}
	}
}

func (s *state) Observe(dst []float32) {
	clear(dst)
	mover, cells := s.Turn(), s.game.m*s.game.n
	for cell := range cells {
		switch {
		case s.stones[mover].Has(cell):
			dst[cell] = 1
		case s.stones[1-mover].Has(cell):
			dst[cells+cell] = 1
		}
		dst[2*cells+cell] = 1
	}
	var marks [2]marks
	s.windows(func(w window) {
		missing := w.stones[0]
		if missing > 3 {
			return
		}
		var empty [3]int
		for i, n := 0, 0; n < missing; i++ {
			if cell := w.first + i*w.step; !s.stones[0].Has(cell) && !s.stones[1].Has(cell) {
				empty[n] = cell
				n++
			}
		}
		for seat := range marks {
			if w.stones[2-seat] > 0 { // of the other player
				continue
			}
			plane := func(i int) []float32 {
				return dst[(i+(seat^int(mover)))*cells:][:cells]
			}
			switch missing {
			case 1:
				plane(winsPlane)[empty[0]] = 1
			case 2:
				marks[seat].four(plane(foursPlane), empty[0], empty[1])
				marks[seat].four(plane(foursPlane), empty[1], empty[0])
			case 3:
				for _, cell := range empty {
					marks[seat].three(plane(threesPlane), cell, w.direction)
				}
			}
		}
	})
}

// marks are the fours and threes of a player in the windows seen so far.
type marks struct {
	wins   [maxSide * maxSide]int16 // by cell: 1 + the first cell that wins after a stone there; 0 if there is none
	threes [maxSide * maxSide]uint8 // by cell: 1 + twice the newest direction with threes, 2 + twice if there are several
}

// four adds a window in which a stone on cell leaves only the cell wins.
func (m *marks) four(plane []float32, cell, wins int) {
	switch m.wins[cell] {
	case 0:
		m.wins[cell] = int16(1 + wins)
		plane[cell] = 0.5
	case int16(1 + wins):
	default:
		plane[cell] = 1
	}
}

// three adds a window in direction that a stone on cell makes a three.
func (m *marks) three(plane []float32, cell, direction int) {
	first := uint8(2*direction + 1)
	switch m.threes[cell] {
	case first:
		m.threes[cell]++
		plane[cell] = min(1, plane[cell]+0.5)
	case first + 1:
	default:
		m.threes[cell] = first
	}
}

// Ownership writes the owner of each cell that was empty in earlier, 2 if it is still
// empty. The score is the payoff times the fraction of empty cells.
func (s *state) Ownership(dst []int8, earlier env.State) (score env.Value) {
	grid.OwnersSince(dst, earlier.(*state), s)
	score, _ = s.Result()
	empty := float32(len(dst)-s.count) / float32(len(dst))
	return env.Value{score[0] * empty, score[1] * empty}
}

func (s *state) CopyFrom(src env.State) { *s = *src.(*state) }

func (s *state) Hash() uint64 { return s.hash }

// Score examines every window of k cells in a line. A window with k-1 stones of a single
// player and no others is worth 1, and each stone less divides this by 8. The difference d
// of the sums is mapped to d/(1+|d|).
func (s *state) Score() env.Value {
	var d float32
	s.windows(func(w window) {
		switch x, o := w.stones[1], w.stones[2]; {
		case o == 0 && x > 0:
			d += s.game.weight[x]
		case x == 0 && o > 0:
			d -= s.game.weight[o]
		}
	})
	return env.EstimateByLead(d, 1)
}
