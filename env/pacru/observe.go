package pacru

import "tiro/env"

// Observation planes, documented in the package comment. The first planes are the same in
// all games, and those that symmetries permute come first.
const (
	facingPlanes = 0                         // one per direction
	edgePlanes   = facingPlanes + directions // one per side
	fixedPlanes  = edgePlanes + 4            // the remaining planes
)

// planes returns the number of planes.
func (r *rules) planes() int {
	n := int(r.players)
	switch r.kind {
	case shacru:
		return fixedPlanes + 4 + 9*n
	case azacru:
		return fixedPlanes + 5 + 11*n
	}
	return fixedPlanes + 14 + 10*n
}

// Observe writes the position from the viewpoint of the player on turn to dst, [planes, 9,
// 9]. The board is not rotated; seats are in the order of play, beginning with the player
// on turn.
func (s *State) Observe(dst []float32) {
	clear(dst)
	w := writer{rest: dst}
	for range directions {
		w.next()
	}
	for p := range s.players {
		for _, c := range s.own(p) {
			dst[(facingPlanes+int(c.facing))*fields+int(c.field)] = 1
		}
	}
	for _, edge := range geo.edges {
		w.set(edge, 1)
	}
	w.set(everywhere, 1)
	w.set(s.neutral(), 1)
	w.fill(fraction(int(s.quiet), int(s.still)))
	w.fill(fraction(int(s.turns), int(s.maxTurns)))
	s.observeSeats(&w)
	switch s.kind {
	case azacru:
		w.fill(fraction(s.left(), int(s.players)))
	case pacru:
		s.observeTurn(&w)
	}
}

// observeSeats writes the planes of each seat, in the order of play from the player on
// turn.
func (s *State) observeSeats(w *writer) {
	goal := fields
	if s.kind == pacru {
		goal = s.target()
	}
	var soon, first [env.MaxPlayers]*plane
	for i := range s.players {
		p := (s.turn + i) % s.players
		own := w.next()
		for _, c := range s.own(p) {
			own[c.field] = 1
		}
		w.set(s.marks[p], 1)
		w.fill(fraction(s.marks[p].len(), goal))
		v := s.see(p, s.long())
		s.observeSight(w, p, &v)
		if s.long() {
			power := w.next()
			for f := range power {
				power[f] = fraction(s.power(p, uint8(f)), 9)
			}
		}
		if s.kind == pacru {
			continue
		}
		soon[i], first[i] = w.next(), w.next()
		if s.kind == azacru {
			w.set(s.connections(p, &v), 1)
		}
	}
	if s.kind != pacru {
		s.observeFloods(&soon, &first)
	}
}

// observeSight writes the destinations and attacks of p's chevrons, and whether p is
// blocked.
func (s *State) observeSight(w *writer, p uint8, v *sight) {
	if s.kind == pacru {
		attacks := w.next()
		s.attacks(p, v, func(f uint8) { attacks[f] += 0.5 })
		w.fill(float32(bit(s.alive(p))))
		s.pincers(p, v)
	}
	reach, ways := w.next(), w.next()
	open := 0
	for i, c := range s.own(p) {
		for j, r := range v[i] {
			if r.slides == 0 {
				continue
			}
			open++
			ways[c.field] += 1. / 3
			step := geo.step[(c.facing+uint8(j)+directions-1)%directions]
			for k := range farthest {
				if r.slides>>k&1 == 1 {
					reach[int(c.field)+(k+1)*step] = 1
				}
			}
		}
	}
	w.fill(fraction(open, 3*s.eachStarts()))
	w.fill(float32(bit(open == 0)))
}

// observeTurn writes the state of a turn of Pacru and the pending choices.
func (s *State) observeTurn(w *writer) {
	m := &s.move
	mayMeet := s.mayMeet
	if s.phase == begin {
		mayMeet = s.meetingCounts()
	}
	w.fill(float32(bit(mayMeet)))
	for p := benefiting; p <= giving; p++ {
		w.fill(float32(bit(s.phase == p)))
	}
	from, to, choice, link, order := w.next(), w.next(), w.next(), w.next(), w.next()
	owed := 0
	switch s.phase {
	case benefiting:
		gains, linked, between := s.benefits()
		put(choice, gains, 1)
		if linked {
			put(link, between, 1)
		}
	case meeting:
		put(choice, s.meetings(), 1)
	case giving:
		put(choice, s.gifts(), 1)
		for i, f := range s.order().origin {
			order[f] = fraction(i, fields-1)
		}
		owed = s.owed()
	}
	if s.phase != begin {
		from[m.from] = 1
		to[m.to] = 1
	}
	w.fill(fraction(owed, 4))
}

// fraction returns n/limit, or 0 without a limit.
func fraction(n, limit int) float32 {
	if limit == 0 {
		return 0
	}
	return float32(n) / float32(limit)
}

// plane is one value for each field.
type plane = [fields]float32

// put writes x for each field of a set.
func put(p *plane, s set, x float32) {
	for !s.empty() {
		p[s.pop()] = x
	}
}

// fill writes x for each field.
func fill(p *plane, x float32) {
	for i := range p {
		p[i] = x
	}
}

// writer provides one plane after another.
type writer struct{ rest []float32 }

func (w *writer) next() *plane {
	p := (*plane)(w.rest)
	w.rest = w.rest[fields:]
	return p
}

// set writes a plane that is x on the fields of a set.
func (w *writer) set(s set, x float32) { put(w.next(), s, x) }

// fill writes a plane that is x everywhere.
func (w *writer) fill(x float32) {
	if p := w.next(); x != 0 {
		fill(p, x)
	}
}
