package pacru

import "tiro/env"

// Perft returns the number of sequences of depth complete turns, including turns on the
// spot. Turns that lead to the same position count once (8). A finished game has no turns.
func (s *State) Perft(depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case depth == 1:
		// Only turns on the spot leave every chevron in place, and no two of them have the
		// same result.
		return uint64(len(s.distinct(false))) + s.SpotTurns()
	}
	n := uint64(0)
	for _, t := range s.distinct(true) {
		n += t.After.Perft(depth - 1)
	}
	return n
}

// Divide implements env.TurnCounter.
func (s *State) Divide() (turns []env.CountedTurn) {
	for _, t := range s.distinct(true) {
		turns = append(turns, env.CountedTurn{Move: t.Move, After: &t.After})
	}
	return turns
}

// distinct returns one complete turn for each position that a turn can reach, the first in
// the order of actions. Turns on the spot are included if onSpot is set.
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

// place is the content of a position string.
type place struct {
	board
	turn, final uint8
	over        bool
}
