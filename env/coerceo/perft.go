package coerceo

import "tiro/env"

// Perft returns the number of sequences of legal turns of the given length. The turns of
// the last ply are counted without being played.
func (p *Position) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	if depth == 1 {
		return uint64(p.Count())
	}
	var buffer [maxLegal]env.Action
	var child Position // inside the loop it would escape to the heap
	n := uint64(0)
	for _, a := range p.Legal(buffer[:0]) {
		child = *p
		child.Play(a)
		n += child.Perft(depth - 1)
	}
	return n
}

// Divide implements env.TurnCounter.
func (p *Position) Divide() (list []env.CountedTurn) {
	for _, a := range p.Legal(nil) {
		after := *p
		after.Play(a)
		list = append(list, env.CountedTurn{Move: p.ActionString(a), After: &after})
	}
	return list
}

// Perft implements env.TurnCounter. It counts turns only; draws do not end a game.
func (s *State) Perft(depth int) uint64 { return s.pos.Perft(depth) }

// Divide implements env.TurnCounter.
func (s *State) Divide() []env.CountedTurn { return s.pos.Divide() }
