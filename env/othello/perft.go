package othello

import "tiro/env"

var _ env.TurnCounter = (*state)(nil)

// Perft counts as other Othello programs do: a pass is a ply, and a game that ends earlier
// counts once (A. Bik, "Computing perft for Reversi").
func (s *state) Perft(depth int) uint64 {
	switch {
	case s.over || depth == 0:
		return 1
	case depth == 1:
		return uint64(max(1, s.legal.len()))
	case s.legal.empty():
		next := *s
		next.Play(s.game.pass())
		return next.Perft(depth - 1)
	}
	n := uint64(0)
	for b := s.legal; !b.empty(); b = b.rest() {
		next := *s
		next.Play(env.Action(b.first()))
		n += next.Perft(depth - 1)
	}
	return n
}

// Divide implements env.TurnCounter.
func (s *state) Divide() (list []env.CountedTurn) {
	for _, a := range s.Legal(nil) {
		next := *s
		next.Play(a)
		list = append(list, env.CountedTurn{Move: s.ActionString(a), After: &next})
	}
	return list
}
