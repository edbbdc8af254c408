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

// Share is the part of a perft count that begins with one turn.
type Share struct {
	Move  string
	Count uint64
}

// Divide returns Perft(depth) by first turn, sorted by its notation; depth
// is at least 1.
func (p *Position) Divide(depth int) []Share {
	var shares []Share
	for _, name := range p.sorted() {
		child := *p
		child.Play(name.action)
		shares = append(shares, Share{name.text, child.Perft(depth - 1)})
	}
	return shares
}
