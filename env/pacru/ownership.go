package pacru

import "tiro/env"

// Ownership writes the owner of each field at the end of the game, counted from the player
// on turn in earlier, or neutral. In Shacru, where markers never change, fields already
// marked in earlier have no target. The score of a seat is the number of its markers minus
// the mean of the others', divided by the number of fields.
func (s *State) Ownership(dst []int8, earlier env.State) (score env.Value) {
	e := earlier.(*State)
	for f := range dst {
		dst[f] = int8(s.players)
	}
	total := 0
	for i := range s.players {
		marks := s.marks[(e.turn+i)%s.players]
		total += marks.len()
		for !marks.empty() {
			dst[marks.pop()] = int8(i)
		}
	}
	if s.kind == shacru {
		for decided := everywhere.without(e.neutral()); !decided.empty(); {
			dst[decided.pop()] = env.NoOwnership
		}
	}
	for p := range s.players {
		own := s.marks[p].len()
		score[p] = (float32(own) - float32(total-own)/float32(s.players-1)) / fields
	}
	return score
}
