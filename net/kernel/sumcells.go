package kernel

// SumCells sums src over the cells in order and writes scale times the sums to dst [rows,
// width]. rows*width must be a multiple of Lanes. The rows of neighbouring cells are
// stride elements apart.
func (w *Worker) SumCells(dst, src []float32, cells, stride int, scale float32) {
	numbers := len(dst)
	w.scale[0] = scale
	w.zeros = grown(w.zeros, 2*Lanes)
	t := &w.tile
	*t = tile{
		a: w.scale[:], b: src, ldb: stride, panel: Lanes, m: 1, k: cells,
		init: w.zeros, segments: append(w.segments[:0], segment{}),
	}
	for at, width := 0, 0; at < numbers; at += (numbers - at) / width * width {
		t.n = min(w.impl.panels, (numbers-at)/Lanes)
		width = t.n * Lanes
		t.batch((numbers-at)/width, 1, 0, width, width)
		t.b, t.c = src[at:], dst[at:numbers]
		w.runAccumulate()
	}
}
