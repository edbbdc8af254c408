package pacru

import (
	"slices"

	"tiro/env"
)

// Action planes of Pacru after those for slides and pincers.
const (
	spotPlane    = directions * farthest // turns on the spot by -90, -45, +45 and +90 degrees
	benefitPlane = spotPlane + 4         // mark a field, for crossing a border
	linkPlane    = benefitPlane + 1      // the connection, at the chevron's field
	meetPlane    = linkPlane + 1         // mark a field, for a meeting
	skipPlane    = meetPlane + 1         // decline the meeting, at the chevron's field
	givePlane    = skipPlane + 1         // a field to make neutral
	pacruPlanes  = givePlane + 1 - spotPlane
)

// longestTurn is the maximum number of actions in a turn of Pacru: a turn on the spot by 90
// degrees and four fields.
const longestTurn = 5

// spotAngles are the turns on the spot in steps of 45 degrees, by plane.
var spotAngles = [4]int8{-2, -1, 1, 2}

// cost returns the number of fields that a turn on the spot makes neutral (4.2).
func cost(angle int8) int { return 2 * int(max(angle, -angle)) }

func (s *State) legalPacru(dst []env.Action) []env.Action {
	switch s.phase {
	case benefiting:
		gains, linked, _ := s.benefits()
		dst = gains.appendTo(dst, benefitPlane)
		if linked {
			dst = append(dst, env.Action(linkPlane*fields+int(s.move.to)))
		}
		return dst
	case meeting:
		dst = s.meetings().appendTo(dst, meetPlane)
		return append(dst, env.Action(skipPlane*fields+int(s.move.to)))
	case giving:
		return s.gifts().appendTo(dst, givePlane)
	}
	v := s.see(s.turn, true)
	s.pincers(s.turn, &v)
	dst = s.slides(dst, &v)
	spare := s.spare().len()
	for i, angle := range spotAngles {
		if cost(angle) > spare {
			continue
		}
		for _, c := range s.own(s.turn) {
			dst = append(dst, env.Action((spotPlane+i)*fields+int(c.field)))
		}
	}
	return dst
}

// movable reports whether p has a move and is therefore not blocked (4.3).
func (s *State) movable(p uint8) bool {
	v := s.see(p, s.long())
	if v.any() {
		return true
	}
	if s.kind == pacru {
		s.pincers(p, &v)
	}
	return v.any()
}

// playPacru performs one decision and all following ones without a choice.
func (s *State) playPacru(a env.Action) {
	plane, f := int(a)/fields, uint8(int(a)%fields)
	switch {
	case plane < spotPlane:
		s.slidePacru(s.slideOf(a))
	case plane < benefitPlane:
		s.turnOnSpot(f, spotAngles[plane-spotPlane])
	case plane == givePlane:
		s.give(f)
	case plane == benefitPlane:
		s.gain(f)
	case plane == linkPlane:
		_, _, between := s.benefits()
		s.connect(between)
	case plane == meetPlane:
		s.move.met, s.move.gift = true, f
		s.changed = s.markField(s.turn, f) || s.changed
		s.endTurn()
	default: // skipPlane
		s.endTurn()
	}
}

// slidePacru moves a chevron, capturing an enemy at its destination, and continues with the
// benefit (4.1, steps 1 and 2).
func (s *State) slidePacru(m slide) {
	s.move = move{kind: sliding, from: m.from, to: m.to}
	s.lift(s.turn, s.find(s.turn, m.from))
	if s.taken.has(m.to) {
		s.move.kind = pincer
		s.take(m.to)
		s.changed = s.markField(s.turn, m.to)
	}
	s.put(s.turn, chevron{m.to, m.d})
	s.mayMeet = s.meetingCounts()
	gains, linked, between := s.benefits()
	switch n := gains.len(); {
	case n == 0 && linked:
		s.connect(between)
	case n == 0:
		s.meet()
	case n == 1 && !linked:
		s.gain(gains.pop())
	default:
		s.phase = benefiting
	}
}

// take removes the enemy chevron on f. A seat that loses its last chevron is out.
func (s *State) take(f uint8) {
	for p := range s.players {
		if i := s.find(p, f); i >= 0 {
			s.lift(p, i)
			if !s.alive(p) {
				s.fall(p)
			}
		}
	}
}

// fall records that p is out, after all seats that fell before.
func (s *State) fall(p uint8) { s.fell[p] = 1 + slices.Max(s.fell[:]) }

// meetingCounts reports whether another seat has enough markers for a meeting to count.
func (s *State) meetingCounts() bool {
	for p := range s.players {
		if p != s.turn && s.marks[p].len() >= int(s.rules.meeting) {
			return true
		}
	}
	return false
}

// benefits returns the possible benefits of the last move: the fields that may be marked
// because it crossed a border ({R4}, {R10}), and the fields between from and to if it
// connected them {R8}.
func (s *State) benefits() (gains set, linked bool, between set) {
	m := &s.move
	if geo.crosses(m.from, m.to) {
		land := geo.lands[geo.land[m.to]]
		if neutral := s.neutral().and(land); !neutral.empty() {
			gains = neutral.without(s.taken)
			if neutral.has(m.to) {
				gains.add(m.to)
			}
		} else {
			gains = s.foreign(s.turn).and(land).without(s.taken)
		}
	}
	if m.kind == sliding {
		d, k, _ := geo.line(m.from, m.to)
		between, linked = s.link(s.turn, m.from, d, int(k))
	}
	return gains, linked, between
}

// gain gives the player the border marker.
func (s *State) gain(f uint8) {
	s.move.benefit, s.move.gained = onField, f
	s.changed = s.markField(s.turn, f) || s.changed
	s.meet()
}

// connect gives the player the fields between.
func (s *State) connect(between set) {
	s.move.benefit = onLink
	s.changed = s.mark(s.turn, between) || s.changed
	s.meet()
}

// meet continues with the meeting, if there is one, or ends the turn (4.1, step 3).
func (s *State) meet() {
	if s.mayMeet && s.faces() && !s.meetings().empty() {
		s.phase = meeting
		return
	}
	s.endTurn()
}

// faces reports whether the moved chevron and another of the same player on the next field
// face each other, both on own markers {R12}.
func (s *State) faces() bool {
	own := s.own(s.turn)
	c := own[s.find(s.turn, s.move.to)]
	f, ok := neighbour(c, 1)
	if !ok || !s.marks[s.turn].has(c.field) || !s.marks[s.turn].has(f) {
		return false
	}
	i := s.find(s.turn, f)
	return i >= 0 && own[i].facing == (c.facing+directions/2)%directions
}

// meetings returns the fields that a meeting may mark.
func (s *State) meetings() set { return everywhere.without(s.taken).without(s.marks[s.turn]) }

// spare returns the fields that can pay for a turn on the spot (4.2).
func (s *State) spare() set { return s.marks[s.turn].without(s.taken) }

// turnOnSpot turns a chevron. The fields that pay for it are chosen next {R14}, or given
// automatically if there are no more than the turn costs.
func (s *State) turnOnSpot(f uint8, angle int8) {
	s.move = move{kind: turning, from: f, to: f, angle: angle}
	c := &s.chevrons[s.turn][s.find(s.turn, f)]
	c.facing = (c.facing + uint8(angle)) % directions
	s.phase = giving
	s.giveRest()
}

// give makes f neutral.
func (s *State) give(f uint8) {
	m := &s.move
	m.given[m.gifts] = f
	m.gifts++
	s.marks[s.turn].remove(f)
	s.changed = true
	if int(m.gifts) == cost(m.angle) {
		s.endTurn()
		return
	}
	s.giveRest()
}

// giveRest gives all remaining fields if the turn costs all of them.
func (s *State) giveRest() {
	var rest [fields]uint8
	if n := s.later(&rest); n == s.owed() {
		s.give(rest[0])
	}
}

// owed returns the number of fields that the turn on the spot still costs.
func (s *State) owed() int { return cost(s.move.angle) - int(s.move.gifts) }

// gifts returns the fields that may be given next. They are given in the order of later,
// and enough fields must remain, so that every choice of fields corresponds to one
// sequence.
func (s *State) gifts() (now set) {
	var rest [fields]uint8
	n := s.later(&rest)
	for _, f := range rest[:n-s.owed()+1] {
		now.add(f)
	}
	return now
}

// later writes the spare fields after the last one given, in order, and returns their
// number. The order is by number on the board rotated and reflected such that the chevron
// faces north or northeast and has turned to the right. Any fixed order would do, but this
// one preserves the symmetries.
func (s *State) later(rest *[fields]uint8) (n int) {
	m := &s.move
	view := s.order()
	from := 0
	if m.gifts > 0 {
		from = int(view.field[m.given[m.gifts-1]]) + 1
	}
	spare := s.spare()
	for _, f := range view.origin[from:] {
		if spare.has(f) {
			rest[n] = f
			n++
		}
	}
	return n
}

// order returns the image of the board that determines the order of giving.
func (s *State) order() *image {
	facing := s.chevrons[s.turn][s.find(s.turn, s.move.from)].facing
	i := 0
	if s.move.angle < 0 {
		i, facing = 4, (directions-facing)%directions
	}
	return &geo.image[i+(4-int(facing)/2)%4]
}

// endPacru ends the game or finds the next seat that can move. Seats that cannot move are
// out (4.3).
func (s *State) endPacru() {
	if s.marks[s.turn].len() >= s.target() {
		s.win(reached, s.turn)
		return
	}
	for p := s.next(s.turn); ; p = s.next(p) {
		if last, ok := s.lastAlive(); ok {
			s.win(lastPlayer, last)
			return
		}
		switch {
		case !s.alive(p):
		case s.movable(p):
			s.turn = p
			return
		default:
			for s.alive(p) {
				s.lift(p, 0)
			}
			s.fall(p)
		}
	}
}

// lastAlive returns the only seat with chevrons, if there is one.
func (s *State) lastAlive() (last uint8, ok bool) {
	n := 0
	for p := range s.players {
		if s.alive(p) {
			last = p
			n++
		}
	}
	return last, n == 1
}
