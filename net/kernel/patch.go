package kernel

// largestTile is the number of points of the largest tiling.
const largestTile = 64

// patch is the work of a transform on one tile of the board, for all rows of a
// block at once: the numbers of a cell, count of them, lie side by side and are
// treated alike. The generator in gen knows the offsets of the fields.
type patch struct {
	points  []float32 // point p begins at p*step
	step    int
	count   int       // a multiple of Lanes
	scratch []float32 // largestTile*Lanes numbers
	floor   float32   // output: the least result: 0 to rectify, else -Inf
	masked  int       // output: 1 if mask counts

	// The cells of the tile, row by row, each with count numbers: the tile
	// with a border of one for input, which reads them, the tile for output,
	// which writes them. All slots in use are set: what is not on the board
	// reads from and writes to memory of no meaning.
	cells    [largestTile][]float32
	residual [largestTile][]float32 // output: added before rectifying
	mask     [largestTile][]float32 // output: where it is not above 0, results become 0
}

// check panics if a transform of the tiling would reach outside the patch's
// slices. The assembly relies on it.
func (p *patch) check(t *tiling, output bool) {
	cells := t.points * t.points
	fits := p.count > 0 && p.count%Lanes == 0 && p.step >= 0 && len(p.scratch) >= largestTile*Lanes &&
		(cells-1)*p.step+p.count <= len(p.points)
	if output {
		cells = t.size * t.size
	}
	for i := range cells {
		fits = fits && len(p.cells[i]) >= p.count
		if output {
			fits = fits && len(p.residual[i]) >= p.count && (p.masked == 0 || len(p.mask[i]) >= p.count)
		}
	}
	if !fits {
		panic("kernel: patch outside its memory")
	}
}

// inputGo is the pure Go twin of the input transforms: points = Bᵀ·cells·B.
func inputGo(p *patch, t *tiling) {
	n := t.points
	for at := 0; at < p.count; at += Lanes {
		for x := range n {
			for i, row := range t.input {
				to := p.scratch[(i*n+x)*Lanes:][:Lanes]
				clear(to)
				for y, c := range row {
					addScaled(to, p.cells[y*n+x][at:], c)
				}
			}
		}
		for y := range n {
			for i, row := range t.input {
				to := p.points[(y*n+i)*p.step+at:][:Lanes]
				clear(to)
				for x, c := range row {
					addScaled(to, p.scratch[(y*n+x)*Lanes:], c)
				}
			}
		}
	}
}

// outputGo is the pure Go twin of the output transforms: cells = Aᵀ·points·A.
func outputGo(p *patch, t *tiling) {
	n, m := t.points, t.size
	var sum [Lanes]float32
	for at := 0; at < p.count; at += Lanes {
		for y := range n {
			for i, row := range t.output {
				to := p.scratch[(y*m+i)*Lanes:][:Lanes]
				clear(to)
				for x, c := range row {
					addScaled(to, p.points[(y*n+x)*p.step+at:], c)
				}
			}
		}
		for x := range m {
			for i, row := range t.output {
				cell := i*m + x
				copy(sum[:], p.residual[cell][at:])
				for y, c := range row {
					addScaled(sum[:], p.scratch[(y*m+x)*Lanes:], c)
				}
				p.finish(p.cells[cell][at:][:Lanes], &sum, cell, at)
			}
		}
	}
}

// finish rectifies, masks and stores.
func (p *patch) finish(to []float32, sum *[Lanes]float32, cell, at int) {
	for i, v := range sum {
		if v < p.floor || p.masked != 0 && !(p.mask[cell][at+i] > 0) {
			v = max(p.floor, 0)
		}
		to[i] = v
	}
}

// addScaled adds c times x to the Lanes numbers of sum.
func addScaled(sum, x []float32, c float32) {
	switch c {
	case 0:
	case 1:
		for i, v := range x[:len(sum)] {
			sum[i] += v
		}
	default:
		for i, v := range x[:len(sum)] {
			sum[i] += c * v
		}
	}
}
