package pacru

// endShacru passes the turn. The game ends when no seat can gain another field {S-R6}.
func (s *State) endShacru() {
	s.turn = s.next(s.turn)
	if !s.gainable() {
		s.finish(noGain)
	}
}

// gainable reports whether a chevron could ever reach a neutral field if all chevrons that
// can move were out of its way (2.1). The game therefore never ends too early.
func (s *State) gainable() bool {
	for p := range s.players {
		foreign := s.foreign(p)
		for _, c := range s.own(p) {
			for j := range uint8(3) {
				if f, ok := neighbour(c, j); ok && !foreign.has(f) && !s.marks[p].has(f) && !s.taken.has(f) {
					return true
				}
			}
		}
	}
	stuck := s.stuck()
	for p := range s.players {
		f := s.newFlood(p)
		f.open = f.open.without(stuck)
		for more := true; more; {
			var fresh set
			if fresh, more = f.spread(); !fresh.without(s.marks[p]).empty() {
				return true
			}
		}
	}
	return false
}

// neighbour returns the field one step from c in direction facing-1+j, if it is on the
// board.
func neighbour(c chevron, j uint8) (f uint8, ok bool) {
	d := (c.facing + j + directions - 1) % directions
	return uint8(int(c.field) + geo.step[d]), geo.room[d][c.field] > 0
}

// stuck returns the fields of the chevrons that can never move again. Each of their
// directions is blocked by the edge, another seat's marker or a stuck chevron. Markers
// never change in Shacru, so stuck chevrons remain stuck.
func (s *State) stuck() set {
	stuck := s.taken
	for more := true; more; {
		more = false
		for p := range s.players {
			closed := s.foreign(p).or(stuck)
			for _, c := range s.own(p) {
				if !stuck.has(c.field) {
					continue
				}
				for j := range uint8(3) {
					if f, ok := neighbour(c, j); ok && !closed.has(f) {
						stuck.remove(c.field)
						closed.remove(c.field)
						more = true
						break
					}
				}
			}
		}
	}
	return stuck
}
