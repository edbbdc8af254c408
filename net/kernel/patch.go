package kernel

// largestTile is the number of points of the largest tile.
const largestTile = 49

// patch describes a transform of one tile of the board, for all rows of a block. The count
// numbers of a cell are contiguous and treated alike. The generator in gen contains the offsets
// of the fields.
type patch struct {
	points  []float32 // point p begins at p*step
	step    int
	count   int       // a multiple of Lanes
	scratch []float32 // largestTile*Lanes numbers
	floor   float32   // output: the smallest result, 0 for a ReLU and -Inf otherwise
	masked  int       // output: 1 if mask applies

	// The cells of the transform's square, row by row, each of count numbers. Cells beyond the
	// edge of the board refer to dummy memory.
	cells    [largestTile][]float32
	residual [largestTile][]float32 // output and gather: added to the result
	mask     [largestTile][]float32 // output: results become 0 where the mask is not positive
}

// check panics if a transform would reach outside the patch's slices. The assembly does not
// check.
func (p *patch) check(f transform, t *tiling) {
	fits := p.count > 0 && p.count%Lanes == 0 && p.step >= 0 && len(p.scratch) >= largestTile*Lanes &&
		(t.products()-1)*p.step+p.count <= len(p.points)
	cells := t.side(f) * t.side(f)
	for _, c := range p.cells[:cells] {
		fits = fits && len(c) >= p.count
	}
	if !f.toPoints() {
		for i, c := range p.residual[:cells] {
			fits = fits && len(c) >= p.count && (f != output || p.masked == 0 || len(p.mask[i]) >= p.count)
		}
	}
	if !fits {
		panic("kernel: patch outside its memory")
	}
}

// transformGo is the pure Go counterpart of the assembly transforms: matrix times square times
// transposed matrix.
func (p *patch) transformGo(f transform, t *tiling) {
	for at := 0; at < p.count; at += Lanes {
		if f.toPoints() {
			p.toPointsGo(t.matrices[f], at)
		} else {
			p.fromPointsGo(t.matrices[f], f == output, at)
		}
	}
}

// toPointsGo transforms Lanes numbers of every cell, starting at number at, columns first.
func (p *patch) toPointsGo(matrix [][]float32, at int) {
	points, side := len(matrix), len(matrix[0])
	for x := range side {
		for i, row := range matrix {
			to := p.scratch[(i*side+x)*Lanes:][:Lanes]
			clear(to)
			for y, c := range row {
				addScaled(to, p.cells[y*side+x][at:], c)
			}
		}
	}
	for y := range points {
		for i, row := range matrix {
			to := p.points[(y*points+i)*p.step+at:][:Lanes]
			clear(to)
			for x, c := range row {
				addScaled(to, p.scratch[(y*side+x)*Lanes:], c)
			}
		}
	}
}

// fromPointsGo transforms Lanes numbers of every point, starting at number at, rows first.
func (p *patch) fromPointsGo(matrix [][]float32, activation bool, at int) {
	side, points := len(matrix), len(matrix[0])
	for y := range points {
		for i, row := range matrix {
			to := p.scratch[(y*side+i)*Lanes:][:Lanes]
			clear(to)
			for x, c := range row {
				addScaled(to, p.points[(y*points+x)*p.step+at:], c)
			}
		}
	}
	for x := range side {
		for i, row := range matrix {
			var sum [Lanes]float32
			for y, c := range row {
				addScaled(sum[:], p.scratch[(y*side+x)*Lanes:], c)
			}
			cell := i*side + x
			addScaled(sum[:], p.residual[cell][at:], 1)
			if activation {
				p.activate(&sum, cell, at)
			}
			copy(p.cells[cell][at:], sum[:])
		}
	}
}

// activate applies the ReLU and the mask to sum, the result of a cell.
func (p *patch) activate(sum *[Lanes]float32, cell, at int) {
	for i, v := range sum {
		if v < p.floor {
			sum[i] = p.floor
		}
		if p.masked != 0 && !(p.mask[cell][at+i] > 0) {
			sum[i] = 0
		}
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
			sum[i] += float32(c * v)
		}
	}
}
