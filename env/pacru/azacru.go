package pacru

// slideAzacru moves a chevron and marks the field it reaches. If it connects
// two own fields, the fields between become the player's too; if one of them
// had been another seat's, the chevron leaves the board {A-R7}.
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

// endAzacru passes the turn on. After the first pass every other seat has one
// more turn {A-R10}.
func (s *State) endAzacru() {
	if s.move.kind == passing && s.final == nobody {
		s.final = s.turn
	}
	s.turn = s.next(s.turn)
	if s.turn == s.final {
		s.finish(finalRound)
	}
}

// left returns how many turns of the final round are left, 0 if it has not
// begun.
func (s *State) left() int {
	if s.final == nobody {
		return 0
	}
	return int((s.final + s.players - s.turn) % s.players)
}
