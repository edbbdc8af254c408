package pacru

import "tiro/env"

// Finishing appends the legal actions that may end the game. There are few until the game
// is nearly over.
func (s *State) Finishing(dst, legal []env.Action) []env.Action {
	switch {
	case s.still > 0 && s.quiet+1 >= s.still, s.turns+1 >= s.maxTurns, s.final == s.next(s.turn):
		return append(dst, legal...)
	case s.kind == shacru:
		return s.finishingShacru(dst, legal)
	case s.kind == pacru:
		return s.finishingPacru(dst, legal)
	}
	return dst
}

// finishingShacru omits the turns after which some chevron can step on a neutral field,
// since a turn moves one chevron and marks one field. The other turns may leave nothing to
// gain.
func (s *State) finishingShacru(dst, legal []env.Action) []env.Action {
	var gains set // of the chevrons that do not move in this turn
	for p := range s.players {
		if p != s.turn {
			for _, c := range s.own(p) {
				gains = gains.or(s.gains(p, c))
			}
		}
	}
	if gains.len() > 1 {
		return dst
	}
	others := gains
	last := uint8(noSeat)
	for _, a := range legal {
		if a == s.pass() {
			continue
		}
		m := s.slideOf(a)
		if m.from != last {
			gains, last = others, m.from
			for _, c := range s.own(s.turn) {
				if c.field != m.from {
					gains = gains.or(s.gains(s.turn, c))
				}
			}
		}
		if gains.without(field(m.to)).empty() {
			dst = append(dst, a)
		}
	}
	return dst
}

// finishingPacru omits the actions that gain too few markers for the target and leave some
// other seat a chevron that can move.
func (s *State) finishingPacru(dst, legal []env.Action) []env.Action {
	missing := s.target() - s.marks[s.turn].len()
	all, withoutOne := s.ways()
	if missing > 2 && withoutOne > 2 && !s.mayConnect() {
		return dst
	}
	for _, a := range legal {
		ways, gains, closes := all, 0, 0 // markers gained and fields closed to others by a
		switch plane := int(a) / fields; {
		case plane < spotPlane:
			m := s.slideOf(a)
			closes = 1
			if geo.crosses(m.from, m.to) {
				gains++
				closes++
			}
			if s.taken.has(m.to) { // a pincer
				gains++
				ways = withoutOne
			} else if _, ok := s.link(s.turn, m.from, m.d, m.k); ok {
				ways = 0 // a connection marks any number of fields
			}
		case plane == benefitPlane, plane == meetPlane:
			gains, closes = 1, 1
		case plane == linkPlane:
			ways = 0
		}
		if gains >= missing || closes >= ways {
			dst = append(dst, a)
		}
	}
	return dst
}

// mayConnect reports whether the player on turn may connect two fields: in the middle of a
// turn, or with a chevron that begins on an own field.
func (s *State) mayConnect() bool {
	if s.phase != begin {
		return s.phase == benefiting
	}
	for _, c := range s.own(s.turn) {
		if s.marks[s.turn].has(c.field) {
			return true
		}
	}
	return false
}

// ways returns lower bounds on the number of fields one step away that the chevrons of
// another seat can move to: with all chevrons, and after losing one. Each is the maximum
// over the other seats.
func (s *State) ways() (all, withoutOne int) {
	for p := range s.players {
		if p == s.turn {
			continue
		}
		var once, twice set // fields in reach of one chevron, and of more than one
		var each [maxChevrons]set
		own, closed := s.own(p), s.foreign(p).or(s.taken)
		for i, c := range own {
			each[i] = steps(c).without(closed)
			twice = twice.or(once.and(each[i]))
			once = once.or(each[i])
		}
		left := once.len()
		all = max(all, left)
		for i := range own {
			left = min(left, once.len()-each[i].without(twice).len())
		}
		withoutOne = max(withoutOne, left)
	}
	return all, withoutOne
}

// gains returns the neutral fields one step from p's chevron c to which it can move.
func (s *State) gains(p uint8, c chevron) set {
	return steps(c).without(s.foreign(p)).without(s.taken).without(s.marks[p])
}

// steps returns the fields one step from c.
func steps(c chevron) (fields set) {
	for j := range uint8(3) {
		if f, ok := neighbour(c, j); ok {
			fields.add(f)
		}
	}
	return fields
}
