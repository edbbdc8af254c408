package coerceo

import "tiro/env"

// Perft returns the number of sequences of legal turns of the given length.
// The turns of the last ply are counted, not played.
func (p *Position) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	if depth == 1 {
		return uint64(p.Count())
	}
	var buffer [maxLegal]env.Action
	var child Position // declared in the loop, it would move to the heap
	n := uint64(0)
	for _, a := range p.Legal(buffer[:0]) {
		child = *p
		child.Play(a)
		n += child.Perft(depth - 1)
	}
	return n
}
