package igo

import (
	"iter"
	"slices"

	"tiro/env"
)

// Colours of points: empty, or a seat plus 1.
const empty = 0

// point is a point of the board, number row*size+column. If it has a stone, the stone belongs
// to a chain.
type point struct {
	colour    int8
	head      int16 // of the stone's chain: one of its stones
	next      int16 // next stone of the chain, in a ring
	stones    int16 // number of stones of the chain, if this is its head
	liberties int16 // likewise
}

// neighbours returns the points next to each point of a board.
func neighbours(size int) [][]int16 {
	near := make([][]int16, size*size)
	for p := range near {
		row, column := p/size, p%size
		for _, d := range [4][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
			if r, c := row+d[0], column+d[1]; r >= 0 && r < size && c >= 0 && c < size {
				near[p] = append(near[p], int16(r*size+c))
			}
		}
	}
	return near
}

// stoneHash returns a stone's contribution to the hash.
func stoneHash(colour int8, p int16) uint64 { return env.Mix(uint64(p)<<2 | uint64(colour)) }

// stones iterates over the stones of the chain with a stone on p.
func (s *state) stones(p int16) iter.Seq[int16] {
	return func(yield func(int16) bool) {
		for q := p; yield(q); {
			if q = s.points[q].next; q == p {
				return
			}
		}
	}
}

// chains appends the heads of the chains next to p to dst.
func (s *state) chains(dst []int16, p int16) []int16 {
	for _, q := range s.game.near[p] {
		if at := &s.points[q]; at.colour != empty && !slices.Contains(dst, at.head) {
			dst = append(dst, at.head)
		}
	}
	return dst
}

// put places a stone on the empty point p, joins it to its neighbours, and removes chains
// without liberties: first the opponent's, then its own.
func (s *state) put(colour int8, p int16) {
	var buffer [4]int16
	chains := s.chains(buffer[:0], p)
	s.hash ^= stoneHash(colour, p)
	s.points[p] = point{colour: colour, head: p, next: p, stones: 1}
	for _, q := range s.game.near[p] {
		if s.points[q].colour == empty {
			s.points[p].liberties++
		}
	}
	for _, h := range chains {
		s.points[h].liberties--
		if s.points[h].colour == colour {
			s.join(s.points[p].head, h)
		}
	}
	for _, h := range chains {
		if s.points[h].colour != colour && s.points[h].liberties == 0 {
			s.take(h)
		}
	}
	if h := s.points[p].head; s.points[h].liberties == 0 {
		s.take(h)
	}
}

// join merges the chains with heads h and k and keeps the head of the larger.
func (s *state) join(h, k int16) {
	if s.points[h].stones < s.points[k].stones {
		h, k = k, h
	}
	var buffer [4]int16
	to, from := &s.points[h], &s.points[k]
	for p := range s.stones(k) {
		for _, q := range s.game.near[p] {
			if s.points[q].colour == empty && !slices.Contains(s.chains(buffer[:0], q), h) {
				to.liberties++
			}
		}
		s.points[p].head = h
	}
	to.stones += from.stones
	to.next, from.next = from.next, to.next // one ring of two
}

// take removes the chain with head h.
func (s *state) take(h int16) {
	var buffer [4]int16
	colour := s.points[h].colour
	for p := range s.stones(h) {
		s.points[p].colour = empty
		s.hash ^= stoneHash(colour, p)
		s.held[colour-1].Add(int(p))
		for _, k := range s.chains(buffer[:0], p) {
			s.points[k].liberties++
		}
	}
}

// neutral marks the points that neither colour owns.
const neutral = 3

// areas returns the owner of each point, a colour or neutral, and the number of points of each
// seat. An empty region belongs to the only colour next to it.
func (s *state) areas() (owner [maxPoints]int8, area [2]int) {
	var region [maxPoints]int16
	for p := range s.game.Cells() {
		if owner[p] != 0 {
			continue
		}
		if c := s.points[p].colour; c != empty {
			owner[p] = c
			area[c-1]++
			continue
		}
		owner[p], region[0] = neutral, int16(p)
		n, borders := 1, int8(0) // the union of the colours, as bits
		for i := 0; i < n; i++ {
			for _, q := range s.game.near[region[i]] {
				c := s.points[q].colour
				borders |= c
				if c == empty && owner[q] == 0 {
					owner[q], region[n] = neutral, q
					n++
				}
			}
		}
		if borders == 1 || borders == 2 {
			for _, q := range region[:n] {
				owner[q] = borders
			}
			area[borders-1] += n
		}
	}
	return owner, area
}
