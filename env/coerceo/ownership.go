package coerceo

import "tiro/env"

// Owner classes of tiles that no seat has collected; the package comment lists all classes.
const (
	tileRemoved      = 2 // removed by an exchange
	tileLeft         = 3 // on the board at the end
	ownershipClasses = 4
)

// Ownership writes the fate of each tile that was on earlier's board. The score is the
// difference of the pieces on the board, in eighteenths.
func (s *State) Ownership(dst []int8, earlier env.State) (score env.Value) {
	p := &earlier.(*State).pos
	mover := p.turn & 1
	for cell := range dst {
		b := geo.of[mover][cell] & 31
		tile := uint32(1) << b
		switch {
		case p.tiles&tile == 0:
			dst[cell] = env.NoOwnership
		case s.pos.tiles&tile != 0:
			dst[cell] = tileLeft
		case s.collected[mover]&tile != 0:
			dst[cell] = 0
		case s.collected[1-mover]&tile != 0:
			dst[cell] = 1
		default:
			dst[cell] = tileRemoved
		}
	}
	ahead := float32(s.pos.Pieces(White)-s.pos.Pieces(Black)) / 18
	return env.Value{White: ahead, Black: -ahead}
}
