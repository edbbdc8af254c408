package kernel

// workspace is the size of the buffers that a Worker needs for tilings, in numbers.
type workspace struct{ points, sums, filters, zeros, sink int }

// blockRows returns how many rows of the batch are transformed together, for
// products of about that many rows.
func (t *tiling) blockRows(g *Grid, rows int) int { return max(rows/t.tiles(g), 1) }

// workspace returns the buffers for blocks of that many rows. The gradient by
// weights also holds the products of some filters at a time.
func (t *tiling) workspace(g *Grid, in, out, rows, filters int) workspace {
	in, out = Pad(in), Pad(out)
	return workspace{
		points: t.products() * t.tiles(g) * rows * in, sums: t.products() * t.tiles(g) * rows * out,
		filters: t.products() * filters * out, zeros: max(rows*in, rows*out, filters*out), sink: rows * out,
	}
}

// reserve grows the worker's buffers to at least that size.
func (w *Worker) reserve(s workspace) {
	w.points, w.sums, w.filters = grown(w.points, s.points), grown(w.sums, s.sums), grown(w.filters, s.filters)
	w.zeros, w.sink = grown(w.zeros, s.zeros), grown(w.sink, s.sink)
}

// grown returns s, or new memory if n numbers are more than it has.
func grown(s []float32, n int) []float32 {
	if len(s) < n {
		return make([]float32, n)
	}
	return s
}
