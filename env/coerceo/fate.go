package coerceo

import "tiro/env"

// Fates of a tile that no seat has collected; the package comment lists all.
const (
	fateOut   = 2 // removed by an exchange
	fateThere = 3 // on the board at the end
	fates     = 4
)

// Fates writes what has become of each tile that earlier had on the board. The
// margin is the difference of pieces on the board, eighteenths.
func (s *State) Fates(dst []int8, earlier env.State) (margin env.Value) {
	p := &earlier.(*State).pos
	mover := p.turn & 1
	for cell := range dst {
		b := geo.of[mover][cell] & 31
		tile := uint32(1) << b
		switch {
		case p.tiles&tile == 0:
			dst[cell] = env.NoFate
		case s.pos.tiles&tile != 0:
			dst[cell] = fateThere
		case s.collected[mover]&tile != 0:
			dst[cell] = 0
		case s.collected[1-mover]&tile != 0:
			dst[cell] = 1
		default:
			dst[cell] = fateOut
		}
	}
	ahead := float32(s.pos.Pieces(White)-s.pos.Pieces(Black)) / 18
	return env.Value{White: ahead, Black: -ahead}
}
