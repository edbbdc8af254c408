package coerceo

import "tiro/env"

// newSymmetries returns the six symmetries of the board that preserve the colours (1.6):
// rotations by 0, 120 and 240 degrees, alone and followed by a reflection from left to
// right. They commute with the rotation by 180 degrees that defines Black's frame, so they
// are the same in both frames.
func newSymmetries() []env.Symmetry {
	var all []env.Symmetry
	for _, mirrored := range []bool{false, true} {
		for turns := range 3 {
			all = append(all, image{turns, mirrored}.symmetry())
		}
	}
	return all
}

// image is a symmetry: a number of rotations by 120 degrees, optionally followed by the
// reflection.
type image struct {
	turns    int
	mirrored bool
}

// cell maps a grid cell. Cells off the board map to themselves.
func (m image) cell(cell int) int {
	x, y := cell%side-2, cell/side-2
	if !onBoard(x, y) {
		return cell
	}
	for range m.turns {
		x, y = y, -x-y
	}
	if m.mirrored {
		x, y = -x, x+y
	}
	return (y+2)*side + x + 2
}

// field maps a field.
func (m image) field(f int) int {
	f = (f + 2*m.turns) % 6
	if m.mirrored {
		f = (6 - f) % 6
	}
	return f
}

// inputPlane maps an observation plane. The groups of three are permuted by field, the planes
// of moves like moves.
func (m image) inputPlane(plane int) int {
	switch {
	case plane >= enemyExposed:
		return enemyExposed + m.actionPlane(plane-enemyExposed)
	case plane >= ownExposed:
		return ownExposed + m.actionPlane(plane-ownExposed)
	case plane >= tilesPresent:
		return plane
	}
	group, odd := plane/3, 1-plane/3%2 // own groups, on odd fields, come first
	return group*3 + m.field(2*(plane%3)+odd)/2
}

// actionPlane maps an action plane. Moves and exchanges are permuted by field, and the
// reflection also swaps near with far and left with right.
func (m image) actionPlane(plane int) int {
	switch {
	case plane < movePlanes:
		way := plane % 6
		if m.mirrored {
			way ^= 1
		}
		return m.field(2*(plane/6)+1)/2*6 + way
	case plane < claimPlane:
		return exchangePlane + m.field(2*(plane-exchangePlane))/2
	}
	return plane
}

func (m image) symmetry() env.Symmetry {
	return env.NewSymmetry(planes*gridCells, policyPlanes*gridCells,
		func(i int) int { return m.inputPlane(i/gridCells)*gridCells + m.cell(i%gridCells) },
		func(a int) int { return m.actionPlane(a/gridCells)*gridCells + m.cell(a%gridCells) })
}
