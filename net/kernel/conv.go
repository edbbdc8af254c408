package kernel

import "fmt"

// Grid is the geometry of a convolution on a board with zero padding. It is immutable and safe
// for concurrent use. A fully connected layer is a convolution of size 1 on a board of one cell.
type Grid struct {
	Height, Width int
	Size          int // 1 or 3: the filter has Size*Size taps

	runs []run
}

// run is a sequence of neighbouring cells of a row for which the same taps are on the board.
type run struct {
	cell, cells int
	taps        []tap
}

// tap is one position of a filter.
type tap struct {
	cell   int // the cell that it reads for the first cell of the run
	weight int // row*Size + column
}

// NewGrid returns the geometry of a convolution of size 1 or 3.
func NewGrid(height, width, size int) *Grid {
	if height < 1 || width < 1 || size != 1 && size != 3 {
		panic(fmt.Sprintf("kernel: grid of %dx%d cells with filter %dx%d: the board must have cells, and the filter size must be 1 or 3", height, width, size, size))
	}
	g := &Grid{Height: height, Width: width, Size: size}
	if size == 1 {
		g.runs = []run{{cells: height * width, taps: []tap{{}}}}
		return g
	}
	for row := range height {
		for _, part := range columnRuns(width) {
			first, end := part[0], part[1]
			r := run{cell: row*width + first, cells: end - first}
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if y, x := row+dy, first+dx; y >= 0 && y < height && x >= 0 && x+end-1-first < width {
						r.taps = append(r.taps, tap{y*width + x, (dy+1)*3 + dx + 1})
					}
				}
			}
			g.runs = append(g.runs, r)
		}
	}
	return g
}

// columnRuns splits the columns of a board into the first column, the inner ones and the last.
func columnRuns(width int) [][2]int {
	switch width {
	case 1:
		return [][2]int{{0, 1}}
	case 2:
		return [][2]int{{0, 1}, {1, 2}}
	}
	return [][2]int{{0, 1}, {1, width - 1}, {width - 1, width}}
}

// Cells returns the number of cells of the board.
func (g *Grid) Cells() int { return g.Height * g.Width }

// Conv is a convolution, followed by a ReLU if ReLU is set.
type Conv struct {
	Grid    *Grid
	Weights *Weights
	ReLU    bool
}

// Call is one application of a Conv to Rows positions, or to Count of these. Src and Dst must not
// overlap; Residual may be Dst.
type Call struct {
	Rows     int
	First    int       // first row to compute
	Count    int       // number of rows to compute; 0: all rows
	Src      []float32 // [cells, Rows, Pad(In)]
	Dst      []float32 // [cells, Rows, Pad(Out)]
	RowBias  []float32 // [Rows, Pad(Out)], replaces the weights' bias; or nil
	Residual []float32 // [cells, Rows, Pad(Out)], added before the ReLU; or nil
	Mask     []float32 // [cells, Rows, Pad(Out)], or nil; Dst becomes 0 where Mask is not positive
}

// part returns the rows to compute.
func (c *Call) part() (first, count int) {
	if c.Count == 0 {
		return 0, c.Rows
	}
	return c.First, c.Count
}

// Worker runs kernels. It is for one goroutine.
type Worker struct {
	impl     *implementation
	tile     tile
	segments []segment // memory for tile.segments
	scale    [1]float32

	// Buffers for tilings, which grow when needed.
	patch        *patch
	points, sums []float32 // [product, tile, row, channel]
	filters      []float32 // [product, channel, channel]
	zeros, sink  []float32 // stand-ins for cells beyond the edge, to read and to write
}

// NewWorker returns a worker that runs the kernels of a backend.
func NewWorker(b Backend) *Worker {
	return &Worker{impl: b.get(), segments: make([]segment, 0, 32), patch: newPatch()}
}

// Conv computes Dst = act(bias + Σ weights·Src + Residual). Each result is summed in a fixed
// order, so that a row's bits depend neither on Rows nor on the position of the row.
func (w *Worker) Conv(c *Conv, call *Call) {
	if c.Weights.tiling != nil {
		w.tiled(c, call)
		return
	}
	in, out := Pad(c.Weights.In), Pad(c.Weights.Out)
	t := &w.tile
	*t = tile{a: call.Src, b: c.Weights.data, lda: in, ldc: out, k: c.Weights.depth(), panel: c.Weights.Taps * in * Lanes}
	if c.ReLU {
		t.relu = 1
	}
	from, rows := call.part()
	for i := range c.Grid.runs {
		r := &c.Grid.runs[i]
		t.segments = w.segments[:len(r.taps)]
		first := r.cell * call.Rows
		if call.RowBias == nil && rows == call.Rows {
			w.convRun(c, call, r.taps, first, r.cells*call.Rows, first)
			continue
		}
		for cell := range r.cells { // RowBias starts again at every cell
			w.convRun(c, call, r.taps, first+cell*call.Rows+from, rows, first)
		}
	}
}

// convRun computes count rows, starting with row begin, of a run whose first row is first. Rows
// are numbered across all cells.
func (w *Worker) convRun(c *Conv, call *Call, taps []tap, begin, count, first int) {
	t := &w.tile
	panels := t.ldc / Lanes
	for done, m := 0, 0; done < count; done += m {
		m = EvenPart(count-done, w.impl.rows)
		row := begin + done
		for i, tap := range taps {
			t.segments[i].a = (tap.cell*call.Rows + row - first) * t.lda
		}
		t.m = m
		for p := 0; p < panels; p += t.n {
			t.n = min(w.impl.panels, panels-p)
			for i, tap := range taps {
				t.segments[i].b = p*t.panel + tap.weight*t.lda*Lanes
			}
			at := row*t.ldc + p*Lanes
			t.c = call.Dst[at:]
			t.residual, t.mask = tail(call.Residual, at), tail(call.Mask, at)
			if call.RowBias != nil {
				t.init, t.ldi = call.RowBias[(call.First+done)*t.ldc+p*Lanes:], t.ldc
			} else {
				t.init = c.Weights.bias[p*Lanes:]
			}
			w.multiply()
		}
	}
}

// tail returns s[at:], or nil if s is nil.
func tail(s []float32, at int) []float32 {
	if s == nil {
		return nil
	}
	return s[at:]
}

// EvenPart returns the size of the next part of left rows: at most limit, and chosen so that the
// parts are about equal, because small parts are slow.
func EvenPart(left, limit int) int {
	parts := (left + limit - 1) / limit
	return (left + parts - 1) / parts
}
