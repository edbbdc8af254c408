package pacru

import (
	"slices"
	"strings"
)

// Perft returns the number of ways to play depth complete turns, turns on the
// spot included, where turns of a player that lead to the same position are
// one (8). A game that is over has none.
func (s *State) Perft(depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case depth == 1:
		// Turns on the spot alone leave every chevron where it is, and no two
		// of them have the same outcome.
		return uint64(len(s.distinct(false))) + s.SpotTurns()
	}
	n := uint64(0)
	for _, t := range s.distinct(true) {
		n += t.After.Perft(depth - 1)
	}
	return n
}

// Share is the part of a perft count that begins with one turn.
type Share struct {
	Move  string
	Count uint64
}

// Divide returns Perft(depth) by first turn, sorted by move strings; of turns
// that lead to the same position it names the first. Depth is at least 1.
func (s *State) Divide(depth int) []Share {
	var shares []Share
	for _, t := range s.distinct(true) {
		shares = append(shares, Share{t.Move, t.After.Perft(depth - 1)})
	}
	slices.SortFunc(shares, func(a, b Share) int { return strings.Compare(a.Move, b.Move) })
	return shares
}

// distinct returns one complete turn for each position that can be reached,
// the first by actions.
func (s *State) distinct(onSpot bool) []Turn {
	var turns []Turn
	seen := map[place]struct{}{}
	s.complete(onSpot, nil, func(t Turn) {
		key := place{t.After.board, t.After.turn, t.After.final, t.After.ending != unfinished}
		if _, old := seen[key]; !old {
			seen[key] = struct{}{}
			turns = append(turns, t)
		}
	})
	return turns
}

// place is what a position string holds.
type place struct {
	board
	turn, final uint8
	over        bool
}
