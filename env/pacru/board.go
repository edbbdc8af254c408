package pacru

import "tiro/env"

// maxChevrons is the largest number of chevrons per seat, in games for two.
const maxChevrons = 4

// chevron is a chevron's position.
type chevron struct{ field, facing uint8 }

// board holds the markers and the chevrons of all seats.
type board struct {
	marks    [env.MaxPlayers]set // fields with a seat's marker
	taken    set                 // fields with a chevron
	chevrons [env.MaxPlayers][maxChevrons]chevron
	count    [env.MaxPlayers]uint8 // number of a seat's chevrons, which ascend by field; unused entries are zero
}

// own returns the chevrons of p, ascending by field.
func (b *board) own(p uint8) []chevron { return b.chevrons[p&3][:b.count[p&3]] }

// alive reports whether p has a chevron (4).
func (b *board) alive(p uint8) bool { return b.count[p&3] > 0 }

// find returns the index of p's chevron on field f, or -1.
func (b *board) find(p, f uint8) int {
	for i, c := range b.own(p) {
		if c.field == f {
			return i
		}
	}
	return -1
}

// lift removes p's chevron i from the board.
func (b *board) lift(p uint8, i int) {
	own := b.own(p)
	b.taken.remove(own[i].field)
	copy(own[i:], own[i+1:])
	own[len(own)-1] = chevron{}
	b.count[p&3]--
}

// put places a chevron of p on an unoccupied field.
func (b *board) put(p uint8, c chevron) {
	b.taken.add(c.field)
	b.count[p&3]++
	own := b.own(p)
	i := len(own) - 1
	for ; i > 0 && own[i-1].field > c.field; i-- {
		own[i] = own[i-1]
	}
	own[i] = c
}

// mark gives the fields to p and reports whether any belonged to another seat or none.
func (b *board) mark(p uint8, to set) (changed bool) {
	changed = !to.without(b.marks[p&3]).empty()
	for q := range b.marks {
		b.marks[q] = b.marks[q].without(to)
	}
	b.marks[p&3] = b.marks[p&3].or(to)
	return changed
}

// markField is mark for a single field.
func (b *board) markField(p, f uint8) (changed bool) {
	var s set
	s.add(f)
	return b.mark(p, s)
}

// foreign returns the fields with markers of seats other than p.
func (b *board) foreign(p uint8) (s set) {
	for q := range b.marks {
		if q != int(p) {
			s = s.or(b.marks[q])
		}
	}
	return s
}

// neutral returns the fields without a marker, including occupied ones.
func (b *board) neutral() set {
	return everywhere.without(b.foreign(0)).without(b.marks[0])
}

// power returns the number of p's markers in the borderland of f (1.2).
func (b *board) power(p, f uint8) int {
	return b.marks[p&3].and(geo.lands[geo.land[f]]).len()
}

// ray describes a chevron's possibilities in one direction.
type ray struct {
	slides uint8 // distances of possible slides, distance k in bit k-1
	meets  uint8 // distance of the first chevron on the way if it is an enemy, otherwise 0
}

// sight holds the rays of a seat's chevrons: chevron i's ray in direction facing-1+j is
// element [i][j].
type sight [maxChevrons][3]ray

// see computes the rays of p's chevrons (1.2). If long is false, the power of movement is 1
// everywhere.
func (b *board) see(p uint8, long bool) (v sight) {
	foreign := b.foreign(p)
	for i, c := range b.own(p) {
		power := 1
		if long {
			power = max(1, b.power(p, c.field))
		}
		for j := range v[i] {
			d := (c.facing + uint8(j) + directions - 1) % directions
			v[i][j] = b.look(p, c.field, d, power, &foreign)
		}
	}
	return v
}

// look computes a ray for up to power steps.
func (b *board) look(p, from, d uint8, power int, foreign *set) (r ray) {
	mine := b.marks[p&3]
	home := mine.has(from)
	step := geo.step[d&7]
	at := int(from)
	jumped := false
	for k := range min(power, int(geo.room[d&7][from])) {
		at += step
		f := uint8(at)
		switch {
		case b.taken.has(f):
			if !jumped && b.find(p, f) < 0 {
				r.meets = uint8(k + 1)
			}
			jumped = true
		case foreign.has(f):
		case !jumped || home && mine.has(f):
			r.slides |= 1 << k
		}
	}
	return r
}

// attacks calls visit with the field of each enemy chevron that v meets, once for every
// chevron of p that meets it. No chevron meets it in two directions.
func (b *board) attacks(p uint8, v *sight, visit func(f uint8)) {
	for i, c := range b.own(p) {
		for j, r := range v[i] {
			if r.meets != 0 {
				visit(c.target(j, r))
			}
		}
	}
}

// target returns the field of the chevron met by ray j of c.
func (c chevron) target(j int, r ray) uint8 {
	d := (c.facing + uint8(j) + directions - 1) % directions
	return uint8(int(c.field) + int(r.meets)*geo.step[d])
}

// pincers adds the moves that capture an enemy chevron attacked by two chevrons of p (4.1).
func (b *board) pincers(p uint8, v *sight) {
	var once, twice set
	b.attacks(p, v, func(f uint8) {
		if once.has(f) {
			twice.add(f)
		}
		once.add(f)
	})
	if twice.empty() {
		return
	}
	for i, c := range b.own(p) {
		for j, r := range v[i] {
			if r.meets != 0 && twice.has(c.target(j, r)) {
				v[i][j].slides |= 1 << (r.meets - 1)
			}
		}
	}
}

// any reports whether any move is possible.
func (v *sight) any() bool {
	for i := range v {
		if v[i][0].slides|v[i][1].slides|v[i][2].slides != 0 {
			return true
		}
	}
	return false
}

// link returns the fields between two of p's fields, k steps apart in direction d, and
// whether a move from one to the other connects them: there must be at least one field
// between, and no chevron on any of them (1.2, connChange).
func (b *board) link(p, from, d uint8, k int) (between set, ok bool) {
	mine, step := b.marks[p&3], geo.step[d&7]
	to := int(from) + k*step
	if k < 2 || !mine.has(from) || !mine.has(uint8(to)) {
		return between, false
	}
	for at := int(from) + step; at != to; at += step {
		between.add(uint8(at))
	}
	return between, between.and(b.taken).empty()
}
