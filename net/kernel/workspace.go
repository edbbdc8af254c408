package kernel

// workspace is the size of the buffers that a Worker needs for a tiling, in elements.
type workspace struct{ points, sums, filters, zeros, sink int }

// blockRows returns the number of rows of the batch that are transformed together for products of
// about rows rows.
func (t *tiling) blockRows(g *Grid, rows int) int { return max(rows/t.tiles(g), 1) }

// workspace returns the buffers for blocks of the given number of rows. The gradient of the
// weights also needs the products of the given number of filters.
func (t *tiling) workspace(g *Grid, in, out, rows, filters int) workspace {
	in, out = Pad(in), Pad(out)
	return workspace{
		points: t.products() * t.tiles(g) * rows * in, sums: t.products() * t.tiles(g) * rows * out,
		filters: t.products() * filters * out, zeros: max(rows*in, rows*out, filters*out), sink: rows * out,
	}
}

// reserve grows the worker's buffers to at least the size s.
func (w *Worker) reserve(s workspace) {
	w.points, w.sums, w.filters = grown(w.points, s.points), grown(w.sums, s.sums), grown(w.filters, s.filters)
	w.zeros, w.sink = grown(w.zeros, s.zeros), grown(w.sink, s.sink)
}

// grown returns s, or new memory if s has fewer than n elements.
func grown(s []float32, n int) []float32 {
	if len(s) < n {
		return make([]float32, n)
	}
	return s
}
