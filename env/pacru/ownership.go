package pacru

import "tiro/env"

// Ownership writes whose marker each field has at the end, counted from the player
// on turn in earlier, or that it is neutral. Fields that had a marker in earlier
// are left out in Shacru, where colours never change. The score of a seat is
// its markers less the mean of the others', as a share of the board.
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
