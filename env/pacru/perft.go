package pacru

import "tiro/env"

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

// Divide implements env.TurnCounter.
func (s *State) Divide() (turns []env.CountedTurn) {
	for _, t := range s.distinct(true) {
		turns = append(turns, env.CountedTurn{Move: t.Move, After: &t.After})
	}
	return turns
}

// distinct returns one complete turn for each position that a turn can lead
// to, the first by actions; turns on the spot are among them if asked for.
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
