package kernel

// SumCells writes scale times the sums over the cells of src
// [cells, rows, width] to dst [rows, width], where rows*width is a multiple of
// Lanes. The cells are summed in order.
func (w *Worker) SumCells(dst, src []float32, cells int, scale float32) {
	numbers := len(src) / cells
	w.scale[0] = scale
	w.zeros = grown(w.zeros, 2*Lanes)
	t := &w.tile
	*t = tile{
		a: w.scale[:], b: src, ldb: numbers, panel: Lanes, m: 1, k: cells,
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

// MaskGrad writes to dst the gradient by the input of a rectifier from the one
// by its output out: grad where out is above 0, and 0 elsewhere. All have one
// length, a multiple of Lanes.
func (w *Worker) MaskGrad(dst, out, grad []float32) {
	if len(dst) != len(out) || len(dst) != len(grad) || len(dst)%Lanes != 0 {
		panic("kernel: mask of slices of different lengths")
	}
	if len(dst) > 0 {
		w.impl.mask(dst, out, grad)
	}
}

// maskGo is the pure Go twin of the assembly.
func maskGo(dst, out, grad []float32) {
	for i, y := range out {
		dst[i] = 0
		if y > 0 {
			dst[i] = grad[i]
		}
	}
}
