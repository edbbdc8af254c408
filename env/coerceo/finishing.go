package coerceo

import (
	"math/bits"

	"tiro/env"
)

// Finishing appends the legal actions that may end the game. In most positions there are
// none, because a game ends with the opponent's last pieces, by repetition, or at a limit.
func (s *State) Finishing(dst, legal []env.Action) []env.Action {
	moves, exchanges := s.mayEnd()
	repeats := s.recurred[1-s.pos.turn&1]
	if !moves && !exchanges && !repeats && !s.claimable() {
		return dst
	}
	for _, a := range legal {
		switch {
		case a == Claim,
			a >= exchangePlane*gridCells && exchanges,
			a < exchangePlane*gridCells && (moves || repeats && s.comesBack(a)):
			dst = append(dst, a)
		}
	}
	return dst
}

// comesBack reports whether the move a draws by repetition, assuming that it captures and
// removes nothing.
func (s *State) comesBack(a env.Action) bool {
	child := s.pos
	child.play(a)
	before, _ := s.occurrences(child.key())
	return before+1 >= s.repetition
}

// mayEnd reports whether a move and whether an exchange may end the game other than by
// repetition. It rarely returns true for games that do not end.
func (s *State) mayEnd() (moves, exchanges bool) {
	p := &s.pos
	mover, other := p.turn, 1-p.turn
	exchange := p.canExchange(mover)
	broken := p.broken(mover)
	switch {
	case s.noProgress > 0 && s.clock+1 >= s.noProgress, s.ply+1 >= s.maxPlies,
		// To leave the mover's tiles whole (closing), a move must join the only piece of a
		// tile to the two pieces of another.
		s.dead() && (p.Pieces(mover) == 1 || !p.canExchange(other) && (broken == [3]uint32{} || count(broken) == 3)):
		return true, exchange
	}
	// A move captures on the three neighbours of its destination, and each tile that it
	// removes exposes three facing fields.
	most := 3 + 3*(1+bits.OnesCount32(p.tiles&^p.occupied()))
	need := s.toWin(mover)
	stuck := !p.canExchange(other) // the opponent is stuck if all the opponent's tiles are whole after the turn
	broken = p.broken(other)
	if need > most && !(stuck && count(broken) <= most) {
		return false, false
	}
	captures := p.threats(mover)
	moves = need <= count(captures) || stuck && covers(captures, broken)
	return moves, exchange
}

// broken returns the pieces of c on tiles with one or two of them, by f/2 as in effect.
func (p *Position) broken(c env.Player) (pieces [3]uint32) {
	l := &lanes[c&1]
	x, y, z := p.fields[l[0].from], p.fields[l[1].from], p.fields[l[2].from]
	whole := x & y & z
	for i := range l {
		pieces[l[i].from>>1] = p.fields[l[i].from] &^ whole
	}
	return pieces
}

// count returns the number of pieces in a set by field and tile.
func count(pieces [3]uint32) int {
	return bits.OnesCount32(pieces[0]) + bits.OnesCount32(pieces[1]) + bits.OnesCount32(pieces[2])
}

// covers reports whether pieces is a subset of others.
func covers(others, pieces [3]uint32) bool {
	return pieces[0]&^others[0]|pieces[1]&^others[1]|pieces[2]&^others[2] == 0
}
