package pacru

import "tiro/env"

// newSymmetries returns the symmetries of the square as permutations. They are the same for
// all players, since the grid has the same orientation for all.
func newSymmetries(r *rules) []env.Symmetry {
	all := make([]env.Symmetry, len(geo.image))
	for n := range geo.image {
		m := &geo.image[n]
		all[n] = env.NewSymmetry(r.planes()*fields, r.policyPlanes()*fields,
			func(i int) int { return m.inputPlane(i/fields)*fields + int(m.field[i%fields]) },
			func(a int) int { return r.imageOf(m, a) })
	}
	return all
}

// inputPlane maps an observation plane. Only planes with a direction change.
func (m *image) inputPlane(plane int) int {
	switch {
	case plane < edgePlanes:
		return facingPlanes + int(m.facing[plane-facingPlanes])
	case plane < fixedPlanes:
		return edgePlanes + int(m.facing[2*(plane-edgePlanes)])/2
	}
	return plane
}

// imageOf maps an action. The reflection swaps left and right: twists 1 and 2, and turns on
// the spot in opposite directions.
func (r *rules) imageOf(m *image, a int) int {
	plane, f := a/fields, int(m.field[a%fields])
	switch {
	case plane < r.slidePlanes():
		twists := r.twists()
		twist, rest := plane%twists, plane/twists
		if m.mirrored && twist > 0 {
			twist = 3 - twist
		}
		d, k := rest/r.distances(), rest%r.distances()
		plane = (int(m.facing[d])*r.distances()+k)*twists + twist
	case r.kind == pacru && plane < benefitPlane && m.mirrored:
		plane = spotPlane + 3 - (plane - spotPlane)
	}
	return plane*fields + f
}

// SetImage sets the state to the image of src, a state of the same game, under symmetry n:
// the same seats, turn and clocks on a rotated or reflected board.
func (s *State) SetImage(src env.State, n int) {
	o := *src.(*State)
	m := &geo.image[n]
	*s = o
	s.board = board{}
	for p := range o.players {
		for marks := o.marks[p]; !marks.empty(); {
			s.marks[p].add(m.field[marks.pop()])
		}
		for _, c := range o.own(p) {
			s.put(p, chevron{m.field[c.field], m.facing[c.facing]})
		}
	}
	s.move = o.move.imageUnder(m)
}

// imageUnder maps a turn.
func (v move) imageUnder(m *image) move {
	for _, f := range []*uint8{&v.from, &v.to, &v.gained, &v.gift} {
		*f = m.field[*f]
	}
	for i, f := range v.given {
		v.given[i] = m.field[f]
	}
	if m.mirrored {
		v.angle = -v.angle
		switch v.twist {
		case left:
			v.twist = right
		case right:
			v.twist = left
		}
	}
	return v
}
