package coerceo

import (
	"math"
	"math/bits"

	"tiro/env"
)

// threats returns the opponent's fields that some single piece move of c would empty,
// directly or by removing tiles, no matter which player is on turn. Field f is at index f/2, as in
// effect.
func (p *Position) threats(c env.Player) (t [3]uint32) {
	one := pairOf(p, &Position{})
	for i, m := range one.enclosable(1 - c) {
		t[i] = uint32(m)
	}
	for m := p.leaving(c); m != 0; m &= m - 1 {
		p.threatsByRemoval(c, uint8(bits.TrailingZeros32(m)), &t)
	}
	return t
}

// pair holds two boards, one in each half of the masks. Rotations by a step act on both,
// since a tile that leaves one board lands on an unused bit of the other.
type pair struct {
	fields [6]uint64
	tiles  uint64
}

// pairOf returns the boards of p, in the lower half, and q.
func pairOf(p, q *Position) (b pair) {
	for f := range b.fields {
		b.fields[f] = uint64(p.fields[f]) | uint64(q.fields[f])<<32
	}
	b.tiles = uint64(p.tiles) | uint64(q.tiles)<<32
	return b
}

// exposed returns for each board the number of c's pieces in enclosable.
func (b *pair) exposed(c env.Player) [2]int {
	t := b.enclosable(c)
	lower := bits.OnesCount64(t[0]&math.MaxUint32|t[1]<<32) + bits.OnesCount32(uint32(t[2]))
	return [2]int{lower, bits.OnesCount64(t[0]) + bits.OnesCount64(t[1]) + bits.OnesCount64(t[2]) - lower}
}

// enclosable returns c's fields with pieces whose last empty neighbouring field some enemy
// piece can move to, which encloses them. Field f is at index f/2.
func (b *pair) enclosable(c env.Player) (t [3]uint64) {
	// The tiles whose field can be entered so that the piece before it on the tile, after it or
	// facing it becomes enclosed: from all fields except that piece's other neighbours. The ways
	// in equal the ways out, since V is symmetric.
	var encloseAfter, encloseBefore, encloseFacing [3]uint64
	for n := range lanes[1-c&1] {
		l := &lanes[1-c&1][n]
		i := l.from >> 1
		near, far := b.fields[l.near], b.fields[l.far]
		across := bits.RotateLeft64(near|far, l.ahead)
		left, right := bits.RotateLeft64(near, l.left), bits.RotateLeft64(far, l.right)
		encloseAfter[i] = far | across | left
		encloseBefore[i] = near | across | right
		encloseFacing[i] = near | far | left | right
	}
	for n := range lanes[c&1] {
		l := &lanes[c&1][n]
		before, after := b.fields[l.before], b.fields[l.after]
		ahead := bits.RotateLeft64(b.tiles, l.ahead)
		facing := bits.RotateLeft64(b.fields[l.facing], l.ahead)
		m := (facing | ^ahead) & (after&^before&encloseAfter[l.before>>1] | before&^after&encloseBefore[l.after>>1])
		m |= before & after & ahead &^ facing & bits.RotateLeft64(encloseFacing[l.facing>>1], l.ahead)
		t[l.from>>1] = b.fields[l.from] & m
	}
	return t
}

// leaving returns the tiles that leave the board when their only piece, which belongs to c,
// moves to another tile.
func (p *Position) leaving(c env.Player) (tiles uint32) {
	own, other := &lanes[c&1], &lanes[1-c&1]
	x, y, z := p.fields[own[0].from], p.fields[own[1].from], p.fields[own[2].from]
	single := (x ^ y ^ z) &^ (x & y) &^ (p.fields[other[0].from] | p.fields[other[1].from] | p.fields[other[2].from])
	for ; single != 0; single &= single - 1 {
		b := uint8(bits.TrailingZeros32(single))
		tiles |= uint32(loose>>around(p.tiles, b)&1) << b
	}
	return tiles
}

// threatsByRemoval adds to t the pieces that c captures by moving the only piece of the
// tile at b to other tiles, which removes that tile.
func (p *Position) threatsByRemoval(c env.Player, b uint8, t *[3]uint32) {
	moves := p.moves(c)
	for plane, m := range moves {
		if m>>b&1 == 0 || plane%6 < 2 {
			continue
		}
		child := *p
		child.turn = c
		e := child.play(env.Action(plane*gridCells + int(geo.cell[c&1][b])))
		for i := range t {
			t[i] |= e.captured[i]
		}
	}
}
