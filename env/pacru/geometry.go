package pacru

import (
	"math/bits"

	"tiro/env"
)

const (
	side       = 9
	fields     = side * side
	centre     = fields / 2
	directions = 8 // clockwise from north
	farthest   = 8 // the longest slide
)

// set is a set of fields: fields 0 to 63 are bits of low, the others bits of high.
type set struct{ low, high uint64 }

// everywhere is the whole board.
var everywhere = set{1<<64 - 1, 1<<(fields-64) - 1}

// field returns the set that contains only f.
func field(f uint8) set {
	bit, high := uint64(1)<<(f&63), -uint64(f>>6)
	return set{bit &^ high, bit & high}
}

func (s set) has(f uint8) bool {
	half := s.low
	if f >= 64 {
		half = s.high
	}
	return half>>(f&63)&1 != 0
}

func (s *set) add(f uint8)      { *s = s.or(field(f)) }
func (s *set) remove(f uint8)   { *s = s.without(field(f)) }
func (s set) and(t set) set     { return set{s.low & t.low, s.high & t.high} }
func (s set) or(t set) set      { return set{s.low | t.low, s.high | t.high} }
func (s set) without(t set) set { return set{s.low &^ t.low, s.high &^ t.high} }
func (s set) len() int          { return bits.OnesCount64(s.low) + bits.OnesCount64(s.high) }
func (s set) empty() bool       { return s.low|s.high == 0 }

// pop removes and returns the lowest field of a nonempty set.
func (s *set) pop() (f uint8) {
	if s.low != 0 {
		f = uint8(bits.TrailingZeros64(s.low))
		s.low &= s.low - 1
		return f
	}
	f = uint8(64 + bits.TrailingZeros64(s.high))
	s.high &= s.high - 1
	return f
}

// appendTo appends a plane's action for each field, ascending.
func (s set) appendTo(dst []env.Action, plane int) []env.Action {
	for !s.empty() {
		dst = append(dst, env.Action(plane*fields+int(s.pop())))
	}
	return dst
}

// shift adds n to the number of each field. The results must be on the board.
func (s set) shift(n int) set {
	switch {
	case n >= 64:
		return set{0, s.low << (n & 63)}
	case n > 0:
		return set{s.low << (n & 63), s.high<<(n&63) | s.low>>(-n&63)}
	case n > -64:
		return set{s.low>>(-n&63) | s.high<<(n&63), s.high >> (-n & 63)}
	}
	return set{s.high >> (-n & 63), 0}
}

// geo holds the geometry of the board.
var geo = newGeometry()

type geometry struct {
	step  [directions]int           // difference between neighbouring fields in each direction
	room  [directions][fields]uint8 // steps to the edge of the board
	land  [fields]uint8             // borderland of a field, file/3 + 3*(rank/3)
	lands [side]set                 // fields of each borderland
	edges [4]set                    // fields at the north, east, south and west edge of their borderland
	image [8]image                  // the symmetries of the square

	within [directions][farthest]set // fields with room for k+1 steps in each direction
	across [directions][farthest]set // fields reached by k+1 steps across a border
}

// image is a symmetry of the square as a map of fields and directions.
type image struct {
	field    [fields]uint8
	origin   [fields]uint8 // inverse of field
	facing   [directions]uint8
	mirrored bool // left and right are swapped
}

// offsets are the changes in file and rank for a step in each direction.
var offsets = [directions][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}

func newGeometry() *geometry {
	g := &geometry{}
	inside := func(x, y int) bool { return x >= 0 && x < side && y >= 0 && y < side }
	for f := range fields {
		x, y := f%side, f/side
		g.land[f] = uint8(x/3 + 3*(y/3))
		g.lands[g.land[f]].add(uint8(f))
		for d, o := range offsets {
			g.step[d] = o[0] + side*o[1]
			for i := 1; inside(x+i*o[0], y+i*o[1]); i++ {
				g.room[d][f]++
				g.within[d][i-1].add(uint8(f))
			}
		}
		for edge, there := range [4]bool{y%3 == 2, x%3 == 2, y%3 == 0, x%3 == 0} {
			if there {
				g.edges[edge].add(uint8(f))
			}
		}
	}
	for d, all := range g.within {
		for k, from := range all {
			for !from.empty() {
				f := from.pop()
				if to := uint8(int(f) + (k+1)*g.step[d]); g.crosses(f, to) {
					g.across[d][k].add(to)
				}
			}
		}
	}
	for i := range g.image {
		g.image[i] = newImage(i%4, i >= 4)
	}
	return g
}

// newImage returns a rotation by a number of clockwise quarter turns, after a reflection
// from west to east if mirrored.
func newImage(quarters int, mirrored bool) image {
	m := image{mirrored: mirrored}
	for f := range fields {
		x, y := f%side, f/side
		if mirrored {
			x = side - 1 - x
		}
		for range quarters {
			x, y = y, side-1-x
		}
		m.field[f] = uint8(x + side*y)
		m.origin[x+side*y] = uint8(f)
	}
	for d := range directions {
		to := d
		if mirrored {
			to = directions - d
		}
		m.facing[d] = uint8((to + 2*quarters) % directions)
	}
	return m
}

// line returns the direction and the number of steps from one field to another, if they are
// on a straight line.
func (g *geometry) line(from, to uint8) (d, steps uint8, ok bool) {
	for d := range uint8(directions) {
		for k := 1; k <= int(g.room[d][from]); k++ {
			if int(from)+k*g.step[d] == int(to) {
				return d, uint8(k), true
			}
		}
	}
	return 0, 0, false
}

// slide moves all fields of a set by k steps in direction d and drops those that would
// leave the board.
func (g *geometry) slide(s set, d uint8, k int) set {
	return s.and(g.within[d&7][k-1]).shift(k * g.step[d&7])
}

// crosses reports whether a move crosses a border (1).
func (g *geometry) crosses(from, to uint8) bool { return g.land[from] != g.land[to] }
