package kernel

// gradRows is the approximate number of rows over which the products of a tiling's gradient are
// summed. Many rows make long sums, which are fast; few rows keep points and sums in a core's
// second-level cache.
const gradRows = 32

// tiledGrad computes the gradient of the weights from the products of a tiling: the gradient with
// respect to a filter's points is the product of the input's points and the gradient with respect
// to the output's points. Input channels are transformed back to filters in small groups, while
// they are in the cache.
func (w *Worker) tiledGrad(g *Grid, d *WeightGradientCall) {
	in, out, t := Pad(d.To.In), Pad(d.To.Out), d.To.tiling
	limit := t.blockRows(g, gradRows)
	for done, rows := 0, 0; done < d.Rows; done += rows {
		rows = EvenPart(d.Rows-done, limit)
		w.reserve(t.workspace(g, in, out, rows, w.impl.rows))
		w.toPoints(input, t, w.points, &window{g, d.Src, d.Rows, done, rows, in})
		w.toPoints(spread, t, w.sums, &window{g, d.Grad, d.Rows, done, rows, out})
		for i, m := 0, 0; i < d.To.In; i += m {
			m = EvenPart(d.To.In-i, w.impl.rows)
			w.gradProducts(d.To, i, m, t.tiles(g)*rows)
			w.gatherFilters(d.To, i, m, done > 0)
		}
	}
}

// gradProducts computes the products of m input channels, starting with channel i, summed over
// rows, and writes them to w.filters [product, m, Pad(Out)].
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

// gatherFilters transforms w.filters back to filters, and writes them or, with add, adds them to
// the gradient.
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
