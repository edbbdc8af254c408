package kernel

// Gradient is the gradient of a loss with respect to the weights and bias of a convolution, or
// the part of it that comes from some rows.
type Gradient struct {
	Taps, In, Out int

	tiling  *tiling   // the tiling to compute it with, or nil for the definition
	weights []float32 // [Taps, Pad(In), Pad(Out)]
	bias    []float32 // [Pad(Out)]
}

// NewGradient returns memory for the gradient of a convolution's weights on a grid, and selects
// the fastest way to compute it.
func NewGradient(g *Grid, in, out int) *Gradient {
	return newGradient(g.Size*g.Size, in, out, bestTiling(g, in, out))
}

func newGradient(taps, in, out int, t *tiling) *Gradient {
	return &Gradient{
		Taps: taps, In: in, Out: out, tiling: t,
		weights: make([]float32, taps*Pad(in)*Pad(out)),
		bias:    make([]float32, Pad(out)),
	}
}

// WeightGradientCall is one computation of the gradient of a convolution's weights, over Rows
// positions.
type WeightGradientCall struct {
	Rows int
	Src  []float32 // [cells, Rows, Pad(In)]: the input of the convolution
	Grad []float32 // [cells, Rows, Pad(Out)]: the gradient with respect to its output before the ReLU
	To   *Gradient // its content is replaced
}

// WeightGradient computes the gradient with respect to the weights and bias of a convolution on a
// grid. The order of the sums is fixed: their bits depend on Src and Grad alone.
func (w *Worker) WeightGradient(g *Grid, d *WeightGradientCall) {
	out := Pad(d.To.Out)
	w.zeros = grown(w.zeros, out)
	if d.To.tiling != nil {
		w.tiledGrad(g, d)
	} else {
		w.tapGrad(g, d)
	}
	w.scale[0] = 1 // the bias is the weight of an input that is always 1
	w.tile = tile{a: w.scale[:], b: d.Grad, ldb: out, ldc: out, panel: Lanes, k: g.Cells() * d.Rows, segments: append(w.segments[:0], segment{})}
	w.accumulate(d.To.bias, 1)
}

// tapGrad computes the gradient of the weights tap by tap.
func (w *Worker) tapGrad(g *Grid, d *WeightGradientCall) {
	in, out := Pad(d.To.In), Pad(d.To.Out)
	t := &w.tile
	*t = tile{a: d.Src, b: d.Grad, lda: in, ldb: out, ldc: out, panel: Lanes, segments: w.segments[:0]}
	for dy := -(g.Size / 2); dy <= g.Size/2; dy++ {
		for dx := -(g.Size / 2); dx <= g.Size/2; dx++ {
			tap := (dy+g.Size/2)*g.Size + dx + g.Size/2
			to := d.To.weights[tap*in*out:][:in*out]
			if w.tapSegments(g, d, dy, dx) {
				w.accumulate(to, d.To.In)
			} else {
				clear(to)
			}
		}
	}
	w.segments = t.segments
}

// tapSegments lists the cells for which a tap is on the board, row by row. It reports whether
// there are any.
func (w *Worker) tapSegments(g *Grid, d *WeightGradientCall, dy, dx int) bool {
	t := &w.tile
	t.segments = t.segments[:0]
	height, width := g.Height-max(dy, -dy), g.Width-max(dx, -dx)
	if height < 1 || width < 1 {
		return false
	}
	t.k = width * d.Rows
	for row := max(0, -dy); row < g.Height-max(0, dy); row++ {
		cell := row*g.Width + max(0, -dx)
		t.segments = append(t.segments, segment{
			a: (cell + dy*g.Width + dx) * d.Rows * t.lda,
			b: cell * d.Rows * t.ldb,
		})
	}
	return true
}

// accumulate writes the sums over the segments of w.tile to to [inputs, ldc].
func (w *Worker) accumulate(to []float32, inputs int) {
	t := &w.tile
	t.init, t.ldi = w.zeros, 0
	a, b := t.a, t.b
	panels := t.ldc / Lanes
	for i := 0; i < inputs; i += t.m {
		t.m = EvenPart(inputs-i, w.impl.rows)
		t.a = a[i:]
		for p := 0; p < panels; p += t.n {
			t.n = min(w.impl.panels, panels-p)
			t.b, t.c = b[p*Lanes:], to[i*t.ldc+p*Lanes:]
			w.runAccumulate()
		}
	}
	t.a, t.b = a, b
}

// runAccumulate runs accumulate on w.tile.
func (w *Worker) runAccumulate() {
	t := &w.tile
	t.atA, t.atB, t.atC, t.left = 0, 0, 0, t.tiles
	t.checkAccumulate()
	w.impl.accumulate(t)
}

// Panels returns the number of panels of outputs of the gradient.
func (g *Gradient) Panels() int { return Pad(g.Out) / Lanes }

// SumPanel adds a panel of outputs of the parts in order, in the memory of the first part, and writes
// the sum to its part of weights [Out, In, Taps] and of bias [Out] unless that is nil. It may be called
// concurrently for different panels.
func SumPanel(weights, bias []float32, panel int, parts ...*Gradient) {
	first := parts[0]
	in, out, from := Pad(first.In), Pad(first.Out), panel*Lanes
	for _, p := range parts[1:] {
		for at := from; at < len(p.weights); at += out {
			add(first.weights[at:], p.weights[at:])
		}
		add(first.bias[from:], p.bias[from:])
	}
	end := min(from+Lanes, first.Out)
	for o := from; o < end; o++ {
		for i := range first.In {
			to := weights[(o*first.In+i)*first.Taps:][:first.Taps]
			for tap := range to {
				to[tap] = first.weights[(tap*in+i)*out+o]
			}
		}
	}
	if bias != nil {
		copy(bias[from:end], first.bias[from:])
	}
}

// add adds the first panel of y to the first panel of x.
func add(x, y []float32) {
	to := x[:Lanes]
	for i, v := range y[:Lanes] {
		to[i] += v
	}
}
