package igo

import "tiro/env"

const (
	maxSide   = 19
	maxPoints = maxSide * maxSide
)

// Colours of points: empty, or a seat plus 1.
const empty = 0

// geometry holds the properties of points that depend on the size of the board; point
// row*size+column.
type geometry struct {
	size, points int
	near         [][]int16 // the neighbours of each point
}

func newGeometry(size int) geometry {
	g := geometry{size: size, points: size * size, near: make([][]int16, size*size)}
	for p := range g.near {
		row, column := p/size, p%size
		for _, d := range [4][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
			if r, c := row+d[0], column+d[1]; r >= 0 && r < size && c >= 0 && c < size {
				g.near[p] = append(g.near[p], int16(r*size+c))
			}
		}
	}
	return g
}

// chain is the data of a chain, stored at its head, one of its stones. A liberty is counted
// once for each adjacent stone of the chain. All counted liberties are the same point p if
// and only if count*squares = sum²; otherwise the left side is larger (Cauchy-Schwarz).
type chain struct {
	stones, count int16
	sum, squares  int32 // over the liberties' points
}

func (c *chain) add(p int16)    { c.count++; c.sum += int32(p); c.squares += int32(p) * int32(p) }
func (c *chain) remove(p int16) { c.count--; c.sum -= int32(p); c.squares -= int32(p) * int32(p) }

// atari reports whether the chain has only one liberty.
func (c *chain) atari() bool {
	return int64(c.count)*int64(c.squares) == int64(c.sum)*int64(c.sum)
}

// last reports whether p, a liberty of the chain, is its only liberty.
func (c *chain) last(p int16) bool { return c.atari() && c.sum == int32(c.count)*int32(p) }

// board is the position of the stones. Only the first points of each array are used.
type board struct {
	colour [maxPoints]int8
	head   [maxPoints]int16 // head of the chain of the stone on a point
	next   [maxPoints]int16 // next stone of the chain, in a ring
	chains [maxPoints]chain // by head
	hash   uint64           // of all stones
}

// copyFrom copies the used part of src.
func (b *board) copyFrom(src *board, points int) {
	copy(b.colour[:points], src.colour[:points])
	copy(b.head[:points], src.head[:points])
	copy(b.next[:points], src.next[:points])
	copy(b.chains[:points], src.chains[:points])
	b.hash = src.hash
}

// stoneHash returns a stone's contribution to the hash.
func stoneHash(colour int8, p int16) uint64 { return env.Mix(uint64(p)<<2 | uint64(colour)) }

// put places a stone on an empty point, joins it to its neighbours, and removes chains
// without liberties: first the opponent's, then its own. It returns the numbers of stones
// removed and adds their points to taken.
func (g *geometry) put(b *board, colour int8, p int16, taken *[2]points) (captured, suicide int) {
	b.colour[p], b.head[p], b.next[p] = colour, p, p
	b.chains[p] = chain{stones: 1}
	b.hash ^= stoneHash(colour, p)
	for _, q := range g.near[p] {
		if b.colour[q] == empty {
			b.chains[p].add(q)
		} else {
			b.chains[b.head[q]].remove(p)
		}
	}
	for _, q := range g.near[p] {
		if b.colour[q] == colour && b.head[q] != b.head[p] {
			b.join(b.head[p], b.head[q])
		}
	}
	for _, q := range g.near[p] {
		if c := b.colour[q]; c == 3-colour && b.chains[b.head[q]].count == 0 {
			captured += g.take(b, b.head[q], &taken[c-1])
		}
	}
	if h := b.head[p]; b.chains[h].count == 0 {
		suicide = g.take(b, h, &taken[colour-1])
	}
	return captured, suicide
}

// join merges the chains with heads h and k and keeps the head of the larger.
func (b *board) join(h, k int16) {
	if b.chains[h].stones < b.chains[k].stones {
		h, k = k, h
	}
	for p := k; ; {
		b.head[p] = h
		if p = b.next[p]; p == k {
			break
		}
	}
	b.next[h], b.next[k] = b.next[k], b.next[h]
	to, from := &b.chains[h], &b.chains[k]
	to.stones += from.stones
	to.count += from.count
	to.sum += from.sum
	to.squares += from.squares
}

// take removes the chain with head h and returns its number of stones.
func (g *geometry) take(b *board, h int16, taken *points) int {
	n := int(b.chains[h].stones)
	for p := h; ; {
		b.hash ^= stoneHash(b.colour[p], p)
		b.colour[p] = empty
		taken.add(p)
		for _, q := range g.near[p] {
			if b.colour[q] != empty {
				b.chains[b.head[q]].add(p)
			}
		}
		if p = b.next[p]; p == h {
			return n
		}
	}
}

// chainHash returns a chain's contribution to the hash.
func (b *board) chainHash(h int16) (hash uint64) {
	for p := h; ; {
		hash ^= stoneHash(b.colour[p], p)
		if p = b.next[p]; p == h {
			return hash
		}
	}
}

// liberties counts the liberties of the chain with head h, up to most. Counted points are
// marked with h in seen.
func (g *geometry) liberties(b *board, h int16, most int, seen *[maxPoints]int16) (n int) {
	for p := h; ; {
		for _, q := range g.near[p] {
			if b.colour[q] == empty && seen[q] != h+1 {
				seen[q] = h + 1
				if n++; n == most {
					return n
				}
			}
		}
		if p = b.next[p]; p == h {
			return n
		}
	}
}

// areas writes the owner of each point, a colour or empty, to owner, and returns the number
// of points of each seat.
func (g *geometry) areas(b *board, owner *[maxPoints]int8) (area [2]int) {
	const unseen = -1
	for p := range g.points {
		owner[p] = b.colour[p]
		if owner[p] == empty {
			owner[p] = unseen
		} else {
			area[owner[p]-1]++
		}
	}
	var region [maxPoints]int16
	for p := range g.points {
		if owner[p] != unseen {
			continue
		}
		owner[p], region[0] = empty, int16(p)
		n, borders := 1, 0 // borders has bit c for each colour c adjacent to the region
		for i := 0; i < n; i++ {
			for _, q := range g.near[region[i]] {
				if c := b.colour[q]; c != empty {
					borders |= 1 << c
				} else if owner[q] == unseen {
					owner[q], region[n] = empty, q
					n++
				}
			}
		}
		if c := int8(borders >> 1); c == 1 || c == 2 {
			for _, q := range region[:n] {
				owner[q] = c
			}
			area[c-1] += n
		}
	}
	return area
}

// points is a set of points.
type points [(maxPoints + 63) / 64]uint64

func (s *points) add(p int16)      { s[p/64] |= 1 << (p % 64) }
func (s *points) has(p int16) bool { return s[p/64]>>(p%64)&1 != 0 }
