package coerceo

import (
	"math/bits"

	"tiro/env"
)

// threats returns the opponent's fields that some single piece move of c would empty,
// directly or by removing tiles, no matter which player is on turn. Field f is at index f/2, as in
// effect.
func (p *Position) threats(c env.Player) (t [3]uint32) {
	for n := range lanes[1-c&1] {
		l := &lanes[1-c&1][n]
		i := l.from >> 1
		piece, before, after := p.fields[l.from], p.fields[l.before], p.fields[l.after]
		ahead := bits.RotateLeft32(p.tiles, l.ahead)
		facing := bits.RotateLeft32(p.fields[l.facing], l.ahead)
		closed := facing | ^ahead
		// One edge neighbour is still empty, and a piece that is not itself another edge
		// neighbour can move there.
		if m := piece & after & closed &^ before; m != 0 {
			t[i] |= m & p.entries(l.before, fromBefore)
		}
		if m := piece & before & closed &^ after; m != 0 {
			t[i] |= m & p.entries(l.after, fromAfter)
		}
		if m := piece & before & after & ahead &^ facing; m != 0 {
			t[i] |= m & bits.RotateLeft32(p.entries(l.facing, fromFacing), l.ahead)
		}
	}
	for m := p.leaving(c); m != 0; m &= m - 1 {
		p.threatsByRemoval(c, uint8(bits.TrailingZeros32(m)), &t)
	}
	return t
}

// The sides from which a field may be entered so that its enemy neighbour on a given side
// becomes enclosed: all except from that enemy's other edge neighbours.
const (
	fromBefore = iota // the field lies before the enemy's, on the same tile
	fromAfter         // the field lies after the enemy's, on the same tile
	fromFacing        // the field faces the enemy's
)

// entries returns the tiles whose field f can be entered from the given sides by a piece of
// f's colour. The ways in equal the ways out, since V is symmetric.
func (p *Position) entries(f uint8, sides int) uint32 {
	l := &laneOf[f]
	near, far := p.fields[l.near], p.fields[l.far]
	across := bits.RotateLeft32(near|far, l.ahead)
	left, right := bits.RotateLeft32(near, l.left), bits.RotateLeft32(far, l.right)
	switch sides {
	case fromBefore:
		return far | across | left
	case fromAfter:
		return near | across | right
	}
	return near | far | left | right
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
