package pacru

// slideAzacru moves a chevron and marks its destination. If the move connects two of the
// player's fields, the player gains the fields between; if one of them belonged to another
// seat, the chevron leaves the board {A-R7}.
func (s *State) slideAzacru(m slide) {
	between, linked := s.link(s.turn, m.from, m.d, m.k)
	removed := s.removes(m.from, m.d, m.k)
	s.arrive(m)
	if linked {
		s.changed = s.mark(s.turn, between) || s.changed
	}
	if removed {
		s.lift(s.turn, s.find(s.turn, m.to))
	}
}

// endAzacru passes the turn. After the first pass every other seat has one more turn
// {A-R10}.
func (s *State) endAzacru() {
	if s.move.kind == passing && s.final == noSeat {
		s.final = s.turn
	}
	s.turn = s.next(s.turn)
	if s.turn == s.final {
		s.finish(finalRound)
	}
}

// left returns the number of turns left in the final round, 0 before it.
func (s *State) left() int {
	if s.final == noSeat {
		return 0
	}
	return int((s.final + s.players - s.turn) % s.players)
}
