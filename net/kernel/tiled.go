package kernel

import "math"

// tiledRows is the approximate number of rows in the products of a tiling. Enough rows reuse each
// weight often; few enough keep points and sums in a core's second-level cache.
const tiledRows = 12

// tiled is Conv with a tiling.
func (w *Worker) tiled(c *Conv, call *Call) {
	t := c.Weights.tiling
	limit := t.blockRows(c.Grid, tiledRows)
	first, count := call.part()
	for done, rows := first, 0; done < first+count; done += rows {
		rows = EvenPart(first+count-done, limit)
		w.reserve(t.workspace(c.Grid, c.Weights.In, c.Weights.Out, rows, 0))
		w.toPoints(input, t, w.points, &window{c.Grid, call.Src, call.Rows, done, rows, Pad(c.Weights.In)})
		w.products(c, call, done, rows*t.tiles(c.Grid))
		w.fromPoints(c, call, done, rows)
	}
}

// window is a range of rows, starting with row first, of activations x [cells, allRows, width].
type window struct {
	grid    *Grid
	x       []float32
	allRows int
	first   int
	rows    int
	width   int
}

// square writes the cells of a square to dst, row by row, and dummy for cells beyond the edge or if
// x is nil.
func (v *window) square(dst *[largestTile][]float32, top, left, side int, dummy []float32) {
	cells := dst[:side*side]
	for i := range cells {
		cells[i] = dummy
	}
	if v.x == nil {
		return
	}
	height, width := v.grid.Height, v.grid.Width
	rows, all, count := v.x[v.first*v.width:], v.allRows*v.width, v.rows*v.width
	for y := max(top, 0); y < min(top+side, height); y++ {
		line := cells[(y-top)*side:][:side]
		for x := max(left, 0); x < min(left+side, width); x++ {
			line[x-left] = rows[(y*width+x)*all:][:count]
		}
	}
}

// toPoints transforms the window to points [product, tile, rows, width] with input or spread.
func (w *Worker) toPoints(f transform, t *tiling, points []float32, v *window) {
	p, side := w.patch, t.side(f)
	p.count = v.rows * v.width
	p.step = t.tiles(v.grid) * p.count
	border := (side - t.size) / 2
	at := 0
	for top := -border; top+border < v.grid.Height; top += t.size {
		for left := -border; left+border < v.grid.Width; left += t.size {
			v.square(&p.cells, top, left, side, w.zeros)
			p.points = points[at:]
			w.impl.transform(f, p, t)
			at += p.count
		}
	}
}

// products multiplies the points [product, rows, Pad(In)] by the weights and writes the results
// to w.sums [product, rows, Pad(Out)]. The first product belongs to the point (1, 1), which
// contributes exactly once to every output, so that its sums start with the bias.
func (w *Worker) products(c *Conv, call *Call, first, rows int) {
	in, out, products := Pad(c.Weights.In), Pad(c.Weights.Out), c.Weights.tiling.products()
	t := &w.tile
	*t = tile{lda: in, ldc: out, k: c.Weights.depth(), panel: products * in * Lanes, segments: append(w.segments[:0], segment{})}
	each := rows / c.Weights.tiling.tiles(c.Grid) // rows of a tile of the board
	for p := 0; p < out/Lanes; p += t.n {
		t.n = min(w.impl.panels, out/Lanes-p)
		weights := c.Weights.data[p*t.panel:]
		for row := 0; row < rows; row += t.m {
			left := rows - row
			t.init, t.ldi = c.Weights.bias[p*Lanes:], 0
			if call.RowBias != nil { // RowBias starts again with every tile of the board
				left = each - row%each
				t.init, t.ldi = call.RowBias[(first+row%each)*out+p*Lanes:], out
			}
			t.m = EvenPart(left, w.impl.rows)
			t.a, t.b, t.c = w.points[row*in:], weights, w.sums[row*out+p*Lanes:]
			w.multiply()
		}
		t.init, t.ldi = w.zeros, 0
		for row := 0; row < rows; row += t.m * t.tiles {
			t.m = EvenPart(rows-row, w.impl.rows)
			t.batch(products-1, (rows-row)/t.m, rows*in, in*Lanes, rows*out)
			t.a, t.b, t.c = w.points[(rows+row)*in:], weights[in*Lanes:], w.sums[(rows+row)*out+p*Lanes:]
			w.multiply()
		}
		t.batch(1, 1, 0, 0, 0)
	}
}

// batch configures the tile for several products, whose parts of a, b and c are a, b and c
// elements apart, each with a column of tiles.
func (t *tile) batch(products, tiles, a, b, c int) {
	t.products, t.tiles = products, tiles
	t.tileA, t.tileC = t.m*t.lda, t.m*t.ldc
	t.stepA, t.stepB, t.stepC = a-(tiles-1)*t.tileA, b, c-(tiles-1)*t.tileC
}

// multiply runs multiply on w.tile.
func (w *Worker) multiply() {
	t := &w.tile
	t.atA, t.atB, t.atC, t.left = 0, 0, 0, t.tiles
	t.checkMultiply()
	w.impl.multiply(t)
}

// fromPoints transforms w.sums to rows of the result, starting with row first.
func (w *Worker) fromPoints(c *Conv, call *Call, first, rows int) {
	t, g, p := c.Weights.tiling, c.Grid, w.patch
	width := Pad(c.Weights.Out)
	p.count = rows * width
	p.step = t.tiles(g) * p.count
	p.floor, p.masked = float32(math.Inf(-1)), 0
	if c.ReLU {
		p.floor = 0
	}
	if call.Mask != nil {
		p.masked = 1
	}
	dst := window{g, call.Dst, call.Rows, first, rows, width}
	residual, mask := dst, dst
	residual.x, mask.x = call.Residual, call.Mask
	at := 0
	for top := 0; top < g.Height; top += t.size {
		for left := 0; left < g.Width; left += t.size {
			dst.square(&p.cells, top, left, t.size, w.sink)
			residual.square(&p.residual, top, left, t.size, w.zeros)
			if call.Mask != nil {
				mask.square(&p.mask, top, left, t.size, w.zeros)
			}
			p.points = w.sums[at:]
			w.impl.transform(output, p, t)
			at += p.count
		}
	}
}
