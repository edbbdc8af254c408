package kernel

import (
	"math"
	"slices"
)

// tiledRows is how many rows the products of a tiling have at a time, about:
// enough to use each weight often, few enough for points and products to stay
// in a core's second-level cache.
const tiledRows = 24

// tiled is Conv by a tiling.
func (w *Worker) tiled(c *Conv, call *Call) {
	t := c.Weights.tiling
	tiles := t.tiles(c.Grid)
	limit := max(tiledRows/tiles, 1)
	for done, rows := 0, 0; done < call.Rows; done += rows {
		rows = tileRows(call.Rows-done, limit)
		in, out := Pad(c.Weights.In)*rows, Pad(c.Weights.Out)*rows
		w.points = slices.Grow(w.points[:0], t.products()*tiles*in)[:t.products()*tiles*in]
		w.sums = slices.Grow(w.sums[:0], t.products()*tiles*out)[:t.products()*tiles*out]
		w.nothing = slices.Grow(w.nothing[:0], max(in, out))[:max(in, out)]
		w.sink = slices.Grow(w.sink[:0], out)[:out]
		w.toPoints(c, call, done, rows)
		w.products(c, call, done, rows*tiles)
		w.fromPoints(c, call, done, rows)
	}
}

// toPoints transforms rows from row first on to w.points [product, tile, rows,
// Pad(In)].
func (w *Worker) toPoints(c *Conv, call *Call, first, rows int) {
	t, g, p := c.Weights.tiling, c.Grid, &w.patch
	width := Pad(c.Weights.In)
	p.count = rows * width
	p.step = t.tiles(g) * p.count
	at := 0
	for top := 0; top < g.Height; top += t.size {
		for left := 0; left < g.Width; left += t.size {
			for i := range t.points * t.points {
				p.cells[i] = w.nothing
				y, x := top-1+i/t.points, left-1+i%t.points
				if y >= 0 && y < g.Height && x >= 0 && x < g.Width {
					p.cells[i] = call.Src[((y*g.Width+x)*call.Rows+first)*width:][:p.count]
				}
			}
			p.points = w.points[at:]
			p.check(t, false)
			w.impl.input(p, t)
			at += p.count
		}
	}
}

// products multiplies the points [product, rows, Pad(In)] by the weights to
// w.sums [product, rows, Pad(Out)]. The first product is at 1 and 1, which
// counts alike for every output: with it the bias comes in.
func (w *Worker) products(c *Conv, call *Call, first, rows int) {
	in, out, products := Pad(c.Weights.In), Pad(c.Weights.Out), c.Weights.tiling.products()
	t := &w.tile
	*t = tile{
		a: w.points, b: c.Weights.data, lda: in, ldc: out, k: in, panel: products * in * Lanes,
		segments: append(w.segments[:0], segment{}),
		stepA:    rows * in, stepB: in * Lanes, stepC: rows * out,
	}
	tiles := c.Weights.tiling.tiles(c.Grid)
	for p := 0; p < out/Lanes; p += t.n {
		t.n = min(w.impl.panels, out/Lanes-p)
		t.b = c.Weights.data[p*t.panel:]
		for row := 0; row < rows; row += t.m { // the first product, with the bias
			left := rows - row
			t.init = c.Weights.bias[p*Lanes:]
			if call.RowBias != nil { // the rows of each tile of the board begin anew
				each := rows / tiles
				left = each - row%each
				t.init, t.ldi = call.RowBias[(first+row%each)*out+p*Lanes:], out
			}
			t.m = tileRows(left, w.impl.rows)
			t.a, t.c = w.points[row*in:], w.sums[row*out+p*Lanes:]
			w.multiply(t)
		}
		t.init, t.ldi = zeros[:], 0
		t.b = t.b[t.stepB:]
		for row := 0; row < rows; row += t.m { // the others
			t.m = tileRows(rows-row, w.impl.rows)
			t.a, t.c = w.points[t.stepA+row*in:], w.sums[t.stepC+row*out+p*Lanes:]
			t.repeat = products - 1
			w.multiply(t)
		}
		t.repeat = 0
	}
}

func (w *Worker) multiply(t *tile) {
	t.atA, t.atB, t.atC = 0, 0, 0
	t.checkMultiply()
	w.impl.multiply(t)
}

// fromPoints transforms w.sums to rows from row first on of the result.
func (w *Worker) fromPoints(c *Conv, call *Call, first, rows int) {
	t, g, p := c.Weights.tiling, c.Grid, &w.patch
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
	at := 0
	for top := 0; top < g.Height; top += t.size {
		for left := 0; left < g.Width; left += t.size {
			for i := range t.size * t.size {
				p.cells[i], p.residual[i], p.mask[i] = w.sink, w.nothing, w.nothing
				y, x := top+i/t.size, left+i%t.size
				if y >= g.Height || x >= g.Width {
					continue
				}
				place := ((y*g.Width+x)*call.Rows + first) * width
				p.cells[i] = call.Dst[place:][:p.count]
				if call.Residual != nil {
					p.residual[i] = call.Residual[place:][:p.count]
				}
				if call.Mask != nil {
					p.mask[i] = call.Mask[place:][:p.count]
				}
			}
			p.points = w.sums[at:]
			p.check(t, true)
			w.impl.output(p, t)
			at += p.count
		}
	}
}
