package othello

import "math/bits"

// board is a set of cells; cell row*size+column is bit cell%64 of word cell/64.
type board struct{ low, high uint64 }

func cellOf(cell int) board {
	if cell < 64 {
		return board{low: 1 << cell}
	}
	return board{high: 1 << (cell - 64)}
}

func (b board) and(c board) board { return board{b.low & c.low, b.high & c.high} }
func (b board) or(c board) board  { return board{b.low | c.low, b.high | c.high} }
func (b board) not(c board) board { return board{b.low &^ c.low, b.high &^ c.high} }
func (b board) empty() bool       { return b.low|b.high == 0 }
func (b board) len() int          { return bits.OnesCount64(b.low) + bits.OnesCount64(b.high) }
func (b board) has(cell int) bool { return !b.and(cellOf(cell)).empty() }

// first returns the first cell of b, which must not be empty.
func (b board) first() int {
	if b.low != 0 {
		return bits.TrailingZeros64(b.low)
	}
	return 64 + bits.TrailingZeros64(b.high)
}

// rest returns b without its first cell.
func (b board) rest() board {
	if b.low != 0 {
		return board{b.low & (b.low - 1), b.high}
	}
	return board{0, b.high & (b.high - 1)}
}

// up and down move all cells by n places, 0 < n < 64.
func (b board) up(n int) board   { return board{b.low << n, b.high<<n | b.low>>(64-n)} }
func (b board) down(n int) board { return board{b.low>>n | b.high<<(64-n), b.high >> n} }

// geometry holds the properties of cells that depend on the size of the board.
type geometry struct {
	size    int
	all     board
	corners board
	axes    [4]axis
}

// axis is a pair of opposite directions.
type axis struct {
	step  int   // distance between neighbouring cells
	inner board // cells that a line can pass through without leaving the board at a side
}

func newGeometry(size int) geometry {
	last := size*size - 1
	g := geometry{size: size, corners: cellOf(0).or(cellOf(size - 1)).or(cellOf(last + 1 - size)).or(cellOf(last))}
	var middle board // all columns but the first and the last
	for cell := range size * size {
		g.all = g.all.or(cellOf(cell))
		if column := cell % size; column > 0 && column < size-1 {
			middle = middle.or(cellOf(cell))
		}
	}
	g.axes = [4]axis{{1, middle}, {size - 1, middle}, {size, g.all}, {size + 1, middle}}
	return g
}

// moves returns the cells where the player with the discs own may place a disc.
func (g *geometry) moves(own, other board) (legal board) {
	for _, a := range g.axes {
		through := other.and(a.inner)
		up, down := own.up(a.step).and(through), own.down(a.step).and(through)
		for range g.size - 3 {
			up, down = up.or(up.up(a.step).and(through)), down.or(down.down(a.step).and(through))
		}
		legal = legal.or(up.up(a.step)).or(down.down(a.step))
	}
	return legal.and(g.all).not(own).not(other)
}

// flips returns the discs of other that the legal move on cell flips.
func (g *geometry) flips(own, other, cell board) (flipped board) {
	for _, a := range g.axes {
		through := other.and(a.inner)
		up, down := cell.up(a.step).and(through), cell.down(a.step).and(through)
		for range g.size - 3 {
			up, down = up.or(up.up(a.step).and(through)), down.or(down.down(a.step).and(through))
		}
		if !up.up(a.step).and(own).empty() {
			flipped = flipped.or(up)
		}
		if !down.down(a.step).and(own).empty() {
			flipped = flipped.or(down)
		}
	}
	return flipped
}
