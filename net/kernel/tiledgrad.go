package kernel

// gradRows is about how many rows the products of a tiling's gradient sum at a time.
// Many rows make long sums, which are fast; with few rows points and sums stay in a
// core's second-level cache.
const gradRows = 32

// tiledGrad sums the gradient by the weights over the products of a tiling: the gradient
// by a filter's points is the product of the input's points and the gradient by the
// output's points. A few input channels at a time are transformed back to filters while
// they are in the cache.
func (w *Worker) tiledGrad(g *Grid, d *WeightGradientCall) {
	in, out, t := Pad(d.To.In), Pad(d.To.Out), d.To.tiling
	limit := t.blockRows(g, gradRows)
	for done, rows := 0, 0; done < d.Rows; done += rows {
		rows = tileRows(d.Rows-done, limit)
		w.reserve(t.workspace(g, in, out, rows, w.impl.rows))
		w.toPoints(input, t, w.points, &window{g, d.Src, d.Rows, done, rows, in})
		w.toPoints(spread, t, w.sums, &window{g, d.Grad, d.Rows, done, rows, out})
		for i, m := 0, 0; i < in; i += m {
			m = tileRows(in-i, w.impl.rows)
			w.gradProducts(d.To, i, m, t.tiles(g)*rows)
			w.gatherFilters(d.To, i, m, d.More || done > 0)
		}
	}
}

// gradProducts sums the products of m input channels from channel i on, over rows, to
// w.filters [product, m, Pad(Out)].
func (w *Worker) gradProducts(to *Gradient, i, m, rows int) {
	in, out := Pad(to.In), Pad(to.Out)
	t := &w.tile
	*t = tile{
		a: w.points[i:], lda: in, ldb: out, ldc: out, panel: Lanes, m: m, k: rows,
		init: w.zeros, segments: append(w.segments[:0], segment{}),
	}
	t.batch(to.tiling.products(), 1, rows*in, rows*out, m*out)
	for p := 0; p < out/Lanes; p += t.n {
		t.n = min(w.impl.panels, out/Lanes-p)
		t.b, t.c, t.products = w.sums[p*Lanes:], w.filters[p*Lanes:], to.tiling.products()
		w.runAccumulate()
	}
}

// gatherFilters transforms w.filters back to filters and writes them, or adds them if
// add is set.
func (w *Worker) gatherFilters(to *Gradient, i, m int, add bool) {
	in, out := Pad(to.In), Pad(to.Out)
	p := w.patch
	p.count = m * out
	p.step, p.points = p.count, w.filters
	for tap := range to.Taps {
		p.cells[tap] = to.weights[(tap*in+i)*out:][:p.count]
		p.residual[tap] = w.zeros
		if add {
			p.residual[tap] = p.cells[tap]
		}
	}
	w.impl.transform(gather, p, to.tiling)
}
