package connect4

import (
	"context"
	"fmt"
	"math/bits"
)

// Solver computes the exact value of positions with an alpha-beta search to the end of the
// game. It stores results in a table of fixed size, which makes successive positions cheap.
// It must be used by one goroutine at a time.
//
// Every search tests whether a score is greater than a number (a null window). Each child
// is examined before any child is searched: an unavoidable loss, the bounds of followUp and
// the table decide most of them.
//
// Scores are counted in stones of the winner: a player who wins with the last stone (the
// 21st) scores 1, with the one before 2, and so on. A loss scores the negative of the
// winner's score, a draw 0.
type Solver struct {
	table []uint64 // key<<8 | bound + lowerBase or upperBase, 0 is empty; see remember
	shift int
	nodes int // positions searched so far

	stop    func() bool // polled to see whether to give up; may be nil
	stopped bool        // the search gave up, and its result is worthless
}

// NewSolver returns a solver with a table of 1<<tableBits entries of 8 bytes. 20 bits suit
// the middle game, 24 the opening.
func NewSolver(tableBits int) *Solver {
	return &Solver{table: make([]uint64, 1<<tableBits), shift: 64 - tableBits}
}

// Score returns the exact score of the player on turn, -18 to 18.
func (s *Solver) Score(state *State) int {
	p, score, known := atOnce(state)
	if known {
		return score
	}
	// The tests narrow the interval low..high. Testing near 0 first keeps the searches
	// shallow, since quick wins are often found without a deep search.
	low, high := p.worst(), p.best()
	for low < high {
		middle := low + (high-low)/2
		switch {
		case middle <= 0 && low/2 < middle:
			middle = low / 2
		case middle >= 0 && high/2 > middle:
			middle = high / 2
		}
		if found := s.bound(p, middle); found <= middle {
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
	switch {
	case s.Exceeds(state, 0):
		return 1
	case s.Exceeds(state, -1):
		return 0
	}
	return -1
}

// Exceeds reports whether the score of the player on turn is greater than
// score. It is faster than Value.
func (s *Solver) Exceeds(state *State, score int) bool {
	p, exact, known := atOnce(state)
	if !known {
		exact = s.bound(p, score)
	}
	return exact > score
}

// Decide is Exceeds for positions that take long. It returns ctx's error, wrapped, soon
// after ctx ends.
func (s *Solver) Decide(ctx context.Context, state *State, score int) (bool, error) {
	s.stop, s.stopped = func() bool { return ctx.Err() != nil }, false
	exceeds := s.Exceeds(state, score)
	stopped := s.stopped
	s.stop, s.stopped = nil, false
	if stopped {
		return false, fmt.Errorf("connect4: solve %s: %w", state, ctx.Err())
	}
	return exceeds, nil
}

// askEvery is the number of positions searched between two polls of stop, which takes a few
// milliseconds.
const askEvery = 1 << 14

// atOnce returns the score of a position that is over or won with the next stone.
func atOnce(state *State) (p position, score int, known bool) {
	mover, other := state.sides()
	p = newPosition(mover, mover|other, state.Plies())
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

// bound returns a lower bound of p's score if it is greater than alpha, and otherwise an
// upper bound.
func (s *Solver) bound(p position, alpha int) int {
	switch low, high := s.known(&p); {
	case low > alpha:
		return low
	case high <= alpha:
		return high
	}
	return s.search(&p, alpha)
}

// known bounds the score of p without a search.
func (s *Solver) known(p *position) (low, high int) {
	switch {
	case p.candidates == 0:
		return p.worst(), p.worst()
	case p.plies >= Width*Height-2:
		return 0, 0
	}
	// Neither side wins with its next stone.
	low, high = p.followUp()
	low, high = max(low, p.worst()+1), min(high, p.best())
	if bound, lower, found := s.recall(p.key()); found {
		if lower {
			low = max(low, bound)
		} else {
			high = min(high, bound)
		}
	}
	return low, high
}

// search is bound for a position that known does not decide.
func (s *Solver) search(p *position, alpha int) int {
	s.nodes++
	if s.nodes%askEvery == 0 && s.stop != nil && s.stop() {
		s.stopped = true
	}
	var next [Width]position
	best, n := p.worst(), 0
	for _, column := range columnOrder {
		cell := p.candidates & cells(column)
		if cell == 0 {
			continue
		}
		q := newPosition(p.all^p.mover, p.all|cell, p.plies+1)
		low, high := s.known(&q)
		if -high > alpha {
			s.remember(p.key(), -high, true)
			return -high
		}
		if -low <= alpha {
			best = max(best, -low)
			continue
		}
		i := n // moves with the most threats go first
		for ; i > 0 && bits.OnesCount64(next[i-1].threats) < bits.OnesCount64(q.threats); i-- {
			next[i] = next[i-1]
		}
		next[i] = q
		n++
	}
	for i := range next[:n] {
		score := -s.search(&next[i], -alpha-1)
		if s.stopped {
			return alpha
		}
		if score > alpha {
			s.remember(p.key(), score, true)
			return score
		}
		best = max(best, score)
	}
	s.remember(p.key(), best, false)
	return best
}

// columnOrder is from the middle outwards, where more lines cross.
var columnOrder = [Width]int{3, 2, 4, 1, 5, 0, 6}

// An entry's low byte is a bound: upper bounds around 64, lower bounds around 192.
const (
	upperBase = 64
	lowerBase = 192
)

func (s *Solver) slot(key uint64) *uint64 {
	return &s.table[key*0x9e3779b97f4a7c15>>s.shift]
}

// remember stores a bound, which may later be overwritten by another position's.
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
