package connect4

import "math/bits"

// Solver finds the exact value of positions by alpha-beta search to the end of
// the game. What it has found it remembers in a table of fixed size, so that
// positions that follow each other are cheap. It is for one goroutine.
//
// Scores are distances in stones of the winner: a player who wins with its
// last stone (the 21st) scores 1, with the one before 2, and so on; a loss
// scores the negative of the winner's, a draw 0.
type Solver struct {
	table []uint64 // key<<8 | bound + lowerBase or upperBase, 0 is empty; see remember
	shift int
	nodes int
}

// NewSolver returns a solver with a table of 1<<tableBits entries of 8 bytes;
// 20 suit the middle game, 24 the opening.
func NewSolver(tableBits int) *Solver {
	return &Solver{table: make([]uint64, 1<<tableBits), shift: 64 - tableBits}
}

// Nodes returns the number of positions searched since the solver was made.
func (s *Solver) Nodes() int { return s.nodes }

// Score returns the exact score of the player on turn, -21 to 21.
func (s *Solver) Score(state *State) int {
	p, score, known := atOnce(state)
	if known {
		return score
	}
	// Null windows narrow low..high; asking near 0 first keeps the searches
	// shallow, since a quick win is often seen without a deep one.
	low, high := p.worst(), p.best()
	for low < high {
		middle := low + (high-low)/2
		switch {
		case middle <= 0 && low/2 < middle:
			middle = low / 2
		case middle >= 0 && high/2 > middle:
			middle = high / 2
		}
		if found := s.search(p, middle, middle+1); found <= middle {
			high = found
		} else {
			low = found
		}
	}
	return low
}

// Value returns who wins, for the player on turn: 1, 0 for a draw, or -1. It
// is faster than Score.
func (s *Solver) Value(state *State) int {
	p, score, known := atOnce(state)
	switch {
	case known:
		return min(1, max(-1, score))
	case s.search(p, 0, 1) > 0:
		return 1
	case s.search(p, -1, 0) < 0:
		return -1
	}
	return 0
}

// position is a board seen by the player on turn.
type position struct {
	mover, all board
	plies      int
}

// atOnce returns the score of a position that is over or won by the next stone.
func atOnce(state *State) (p position, score int, known bool) {
	mover, other := state.sides()
	p = position{mover: mover, all: mover | other, plies: state.Plies()}
	switch _, over := state.Result(); {
	case state.won:
		return p, -(Width*Height + 2 - p.plies) / 2, true
	case over:
		return p, 0, true
	case wins(mover, p.all)&state.landing() != 0:
		return p, (Width*Height + 1 - p.plies) / 2, true
	}
	return p, 0, false
}

// worst and best bound the score of a position that is not won by the next
// stone: the other player wins with its next, or the mover with its second.
func (p position) worst() int { return -(Width*Height - p.plies) / 2 }
func (p position) best() int  { return (Width*Height - 1 - p.plies) / 2 }

func (p position) after(cell board) position {
	return position{mover: p.all ^ p.mover, all: p.all | cell, plies: p.plies + 1}
}

// wins returns the empty cells that make four for the stones, be they
// reachable or not.
func wins(stones, all board) board {
	found := stones << 1 & (stones << 2) & (stones << 3) // on top of three
	for _, d := range lines[1:] {
		up, down := stones<<d&(stones<<(2*d)), stones>>d&(stones>>(2*d))
		found |= up & (stones<<(3*d) | stones>>d)
		found |= down & (stones>>(3*d) | stones<<d)
	}
	return found & allCells &^ all
}

// candidates returns the landing cells after which the other player does not
// win at once. The mover cannot win at once itself.
func (p position) candidates() board {
	threats := wins(p.all^p.mover, p.all)
	landing := (p.all + bottomRow) & allCells
	if forced := landing & threats; forced != 0 {
		if forced&(forced-1) != 0 {
			return 0 // two threats, one stone
		}
		landing = forced
	}
	return landing &^ (threats >> 1) // not below a threat
}

// search returns the score if it lies in alpha..beta, or else a bound on the
// same side. The mover cannot win at once.
func (s *Solver) search(p position, alpha, beta int) int {
	s.nodes++
	candidates := p.candidates()
	if candidates == 0 {
		return p.worst()
	}
	if p.plies >= Width*Height-2 {
		return 0
	}
	// Neither side wins with its next stone.
	alpha, beta = max(alpha, p.worst()+1), min(beta, p.best())
	if alpha >= beta {
		return alpha
	}
	key := p.mover + p.all + bottomRow
	if bound, lower, known := s.recall(key); known {
		if lower {
			alpha = max(alpha, bound)
		} else {
			beta = min(beta, bound)
		}
		if alpha >= beta {
			return bound
		}
	}
	var moves [Width]board
	for _, cell := range moves[:p.order(candidates, &moves)] {
		score := -s.search(p.after(cell), -beta, -alpha)
		if score >= beta {
			s.remember(key, score, true)
			return score
		}
		alpha = max(alpha, score)
	}
	s.remember(key, alpha, false)
	return alpha
}

// columnOrder is from the middle outwards: more lines cross there.
var columnOrder = [Width]int{3, 2, 4, 1, 5, 0, 6}

// order writes the candidates to moves, those that make most threats first,
// and returns their number.
func (p position) order(candidates board, moves *[Width]board) int {
	var threats [Width]int
	n := 0
	for _, column := range columnOrder {
		cell := candidates & ((1<<Height - 1) << (column * stride))
		if cell == 0 {
			continue
		}
		made := bits.OnesCount64(wins(p.mover|cell, p.all|cell))
		i := n
		for ; i > 0 && threats[i-1] < made; i-- {
			threats[i], moves[i] = threats[i-1], moves[i-1]
		}
		threats[i], moves[i] = made, cell
		n++
	}
	return n
}

// An entry's low byte is a bound: upper ones around 64, lower ones around 192.
const (
	upperBase = 64
	lowerBase = 192
)

func (s *Solver) slot(key uint64) *uint64 {
	return &s.table[key*0x9e3779b97f4a7c15>>s.shift]
}

// remember stores a bound; a later one of another position may overwrite it.
func (s *Solver) remember(key uint64, bound int, lower bool) {
	base := upperBase
	if lower {
		base = lowerBase
	}
	*s.slot(key) = key<<8 | uint64(base+bound)
}

func (s *Solver) recall(key uint64) (bound int, lower, known bool) {
	entry := *s.slot(key)
	if entry>>8 != key {
		return 0, false, false
	}
	if bound = int(entry & 0xff); bound >= 128 {
		return bound - lowerBase, true, true
	}
	return bound - upperBase, false, true
}
