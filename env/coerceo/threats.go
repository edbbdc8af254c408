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
	t = b.enclosing(c)
	fields := b.fields[lanes[c&1][0].from&1:]
	t[0] &= fields[0]
	t[1] &= fields[2]
	t[2] &= fields[4]
	return t
}

// enclosing is enclosable for pieces on all of c's fields. It does not depend on where c's pieces
// are.
func (b *pair) enclosing(c env.Player) (t [3]uint64) {
	own, enemy := &lanes[c&1], &lanes[1-c&1]
	x, y, z := b.fields[enemy[0].from], b.fields[enemy[1].from], b.fields[enemy[2].from]
	p, q, r := own[0].ahead, own[1].ahead, own[2].ahead
	t[own[0].from>>1] = enclosing(x, y, z, b.tiles, p, q, r)
	t[own[1].from>>1] = enclosing(y, z, x, b.tiles, q, r, p)
	t[own[2].from>>1] = enclosing(z, x, y, b.tiles, r, p, q)
	return t
}

// enclosing returns the tiles on whose field of a lane a piece can be enclosed. Its neighbours are
// the enemy's fields x on the tile ahead, and y before it and z after it on its own tile. The
// rotations ahead are p in this lane, q in the next one and r in the third. A piece is enclosed by a
// move into its last empty neighbour from any field but its other neighbours. The ways into a field
// equal the ways out of it, since V is symmetric.
func enclosing(x, y, z, tiles uint64, p, q, r int) uint64 {
	ahead, facing := bits.RotateLeft64(tiles, p), bits.RotateLeft64(x, p)
	left, right := bits.RotateLeft64(y, q), bits.RotateLeft64(z, r)
	intoBefore := x | bits.RotateLeft64(z|x, -q) | right
	intoAfter := x | bits.RotateLeft64(x|y, -r) | left
	intoFacing := bits.RotateLeft64(y|z|left|right, p)
	return (facing|^ahead)&(z&^y&intoBefore|y&^z&intoAfter) | y&z&ahead&^facing&intoFacing
}

// lastNeighbours returns the empty fields that are the only empty neighbour of one of c's pieces.
// Field f is at index f/2.
func (p *Position) lastNeighbours(c env.Player) (t [3]uint32) {
	for n := range lanes[c&1] {
		l := &lanes[c&1][n]
		piece, before, after := p.fields[l.from], p.fields[l.before], p.fields[l.after]
		open := bits.RotateLeft32(p.tiles&^p.fields[l.facing], l.ahead)
		t[l.before>>1] |= piece & after &^ before &^ open
		t[l.after>>1] |= piece & before &^ after &^ open
		t[l.facing>>1] |= bits.RotateLeft32(piece&before&after&open, -l.ahead)
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
