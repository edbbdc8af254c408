package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAccumulateTile(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rapid.Check(t, func(t *rapid.T) {
			draw := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
			tl := &tile{m: draw("m", 1, impl.rows), n: draw("n", 1, impl.panels), k: draw("k", 1, 40), panel: Lanes}
			width := tl.n * Lanes
			tl.lda, tl.ldb, tl.ldc = tl.m+draw("lda", 0, 5), width+draw("ldb", 0, 5), width+draw("ldc", 0, 5)
			tl.ldi = draw("ldi", 0, 1) * (width + 3)
			rng := rand.New(rand.NewPCG(1, uint64(tl.k*tl.m)))
			for range draw("segments", 1, 9) {
				tl.segments = append(tl.segments, segment{a: draw("a", 0, 9), b: draw("b", 0, 9)})
			}
			c := newGuarded(rng, (tl.m-1)*tl.ldc+width)
			tl.a, tl.b = randomFloats(rng, 9+(tl.k-1)*tl.lda+tl.m), randomFloats(rng, 9+(tl.k-1)*tl.ldb+width)
			tl.c, tl.init = c.inner, randomFloats(rng, (tl.m-1)*tl.ldi+width)
			want := append([]float32(nil), tl.c...)
			for i := range tl.m {
				for j := range width {
					sum := float64(tl.init[i*tl.ldi+j])
					for _, s := range tl.segments {
						for k := range tl.k {
							sum += float64(tl.a[s.a+k*tl.lda+i]) * float64(tl.b[s.b+k*tl.ldb+j])
						}
					}
					want[i*tl.ldc+j] = float32(sum)
				}
			}
			tl.checkAccumulate()
			impl.accumulate(tl)
			require.InDeltaSlice(t, want, tl.c, 2e-3)
			c.requireUntouched(t)
		})
	})
}

// A convolution is linear in its weights and in its input, so that its gradients are explicit
// sums.
func TestGradients(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rapid.Check(t, func(t *rapid.T) {
			l := drawLayer(t)
			rng := rand.New(rand.NewPCG(6, 6))
			in, out, cells, taps := Pad(l.in), Pad(l.out), l.cells(), l.size*l.size
			dy := randomFloats(rng, l.rows*l.out*cells) // [rows, out, cells]
			src, grad := make([]float32, cells*l.rows*in), make([]float32, cells*l.rows*out)
			Pack(src, l.x, l.rows, l.rows, l.in, cells, l.in*cells)
			Pack(grad, dy, l.rows, l.rows, l.out, cells, l.out*cells)
			grid, w := NewGrid(l.height, l.width, l.size), NewWorker(Backend{impl})

			g := newGradient(taps, l.in, l.out, l.drawTiling(t))
			w.WeightGradient(grid, &WeightGradientCall{Rows: l.rows, Src: src, Grad: grad, To: g})
			if rapid.Bool().Draw(t, "twice") { // the second call replaces the result of the first
				w.WeightGradient(grid, &WeightGradientCall{Rows: l.rows, Src: src, Grad: grad, To: g})
			}
			dw, db := make([]float32, len(l.w)), make([]float32, len(l.bias))
			Sum(dw, db, g)
			for range 20 {
				o, i, tap := rng.IntN(l.out), rng.IntN(l.in), rng.IntN(taps)
				wantW, wantB := l.weightGradient(dy, o, i, tap)
				require.InDelta(t, wantW, float64(dw[(o*l.in+i)*taps+tap]), 5e-3, "weight %d %d %d", o, i, tap)
				require.InDelta(t, wantB, float64(db[o]), 5e-3, "bias %d", o)
			}

			back := Backend{impl}.newWeights(taps, l.out, l.in, l.drawTiling(t))
			back.PackTransposed(l.w)
			dx := newGuarded(rng, cells*l.rows*in)
			mask := randomFloats(rng, len(dx.inner))
			w.Conv(&Conv{Grid: grid, Weights: back}, &Call{Rows: l.rows, Src: grad, Dst: dx.inner, Mask: mask})
			dx.requireUntouched(t)
			for range 20 {
				row, i, cell := rng.IntN(l.rows), rng.IntN(l.in), rng.IntN(cells)
				at := (cell*l.rows+row)*in + i
				want := l.inputGradient(dy, row, i, cell)
				if mask[at] <= 0 {
					want = 0
				}
				require.InDelta(t, want, float64(dx.inner[at]), 5e-3, "row %d channel %d cell %d", row, i, cell)
			}
		})
	})
}

// looksAt returns the cell that a tap reads for a cell.
func (l layer) looksAt(cell, tap int) (other int, onBoard bool) {
	y, x := cell/l.width+tap/l.size-l.size/2, cell%l.width+tap%l.size-l.size/2
	return y*l.width + x, y >= 0 && y < l.height && x >= 0 && x < l.width
}

func (l layer) weightGradient(dy []float32, o, i, tap int) (weight, bias float64) {
	for row := range l.rows {
		for cell := range l.cells() {
			d := float64(dy[(row*l.out+o)*l.cells()+cell])
			bias += d
			if other, ok := l.looksAt(cell, tap); ok {
				weight += d * float64(l.x[(row*l.in+i)*l.cells()+other])
			}
		}
	}
	return weight, bias
}

func (l layer) inputGradient(dy []float32, row, i, cell int) float64 {
	sum := 0.0
	for from := range l.cells() {
		for tap := range l.size * l.size {
			if other, ok := l.looksAt(from, tap); ok && other == cell {
				for o := range l.out {
					sum += float64(dy[(row*l.out+o)*l.cells()+from]) * float64(l.w[(o*l.in+i)*l.size*l.size+tap])
				}
			}
		}
	}
	return sum
}

func TestSumAddsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var parts []*Gradient
	want := make([]float32, 5*3*9)
	for range 3 {
		g := newGradient(9, 3, 5, nil)
		copy(g.weights, randomFloats(rng, len(g.weights)))
		copy(g.bias, randomFloats(rng, len(g.bias)))
		parts = append(parts, g)
		for o := range 5 {
			for i := range 3 {
				for tap := range 9 {
					want[(o*3+i)*9+tap] += g.weights[(tap*16+i)*16+o]
				}
			}
		}
	}
	got := make([]float32, len(want))
	Sum(got, nil, parts...)
	require.Equal(t, want, got)
}

// Sum calls SumPanel for all panels.
func Sum(weights, bias []float32, parts ...*Gradient) {
	for panel := range parts[0].Panels() {
		SumPanel(weights, bias, panel, parts...)
	}
}
