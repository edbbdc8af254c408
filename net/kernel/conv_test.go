package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func randomFloats(rng *rand.Rand, n int) []float32 { return newGuarded(rng, n).inner }

// layer is a random convolution and its input, in the layouts of games and files.
type layer struct {
	rows, in, out, height, width, size int

	x, w, bias []float32 // [rows, in, cells], [out, in, size*size], [out]
}

func drawLayer(t *rapid.T) layer {
	l := layer{
		rows: rapid.IntRange(1, 15).Draw(t, "rows"), in: rapid.IntRange(1, 40).Draw(t, "in"), out: rapid.IntRange(1, 50).Draw(t, "out"),
		height: rapid.IntRange(1, 6).Draw(t, "height"), width: rapid.IntRange(1, 19).Draw(t, "width"),
		size: rapid.SampledFrom([]int{1, 3}).Draw(t, "size"),
	}
	rng := rand.New(rand.NewPCG(3, uint64(l.in)))
	l.x, l.w, l.bias = randomFloats(rng, l.rows*l.in*l.cells()), randomFloats(rng, l.out*l.in*l.size*l.size), randomFloats(rng, l.out)
	return l
}

// drawTiling returns one of the ways to compute the layer.
func (l layer) drawTiling(t *rapid.T) *tiling {
	if i := rapid.IntRange(-1, tilings-1).Draw(t, "tiling"); l.size == 3 && i >= 0 {
		return newTiling(smallestTile + i)
	}
	return nil
}

func (l layer) cells() int { return l.height * l.width }

// at returns the output of a row, channel and cell in double precision.
func (l layer) at(row, out, cell int) float64 {
	sum := float64(l.bias[out])
	for ky := range l.size {
		for kx := range l.size {
			y, x := cell/l.width+ky-l.size/2, cell%l.width+kx-l.size/2
			if y < 0 || y >= l.height || x < 0 || x >= l.width {
				continue
			}
			for i := range l.in {
				sum += float64(l.x[(row*l.in+i)*l.cells()+y*l.width+x]) * float64(l.w[((out*l.in+i)*l.size+ky)*l.size+kx])
			}
		}
	}
	return sum
}

func TestConv(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rapid.Check(t, func(t *rapid.T) {
			l := drawLayer(t)
			rng := rand.New(rand.NewPCG(4, 4))
			weights := Backend{impl}.newWeights(l.size*l.size, l.in, l.out, l.drawTiling(t))
			half := l.out / 2 // two convolutions packed side by side
			weights.Pack(0, l.w[:half*l.in*l.size*l.size], l.bias[:half])
			weights.Pack(half, l.w[half*l.in*l.size*l.size:], l.bias[half:])
			conv := Conv{Grid: NewGrid(l.height, l.width, l.size), Weights: weights, ReLU: rapid.Bool().Draw(t, "relu")}
			in, out := Pad(l.in), Pad(l.out)
			src, dst := newGuarded(rng, l.cells()*l.rows*in), newGuarded(rng, l.cells()*l.rows*out)
			Pack(src.inner, l.x, l.rows, l.rows, l.in, l.cells(), l.in*l.cells())
			call := Call{Rows: l.rows, Src: src.inner, Dst: dst.inner}
			if rapid.Bool().Draw(t, "row bias") {
				call.RowBias = randomFloats(rng, l.rows*out)
			}
			var residual []float32
			if rapid.Bool().Draw(t, "residual") {
				call.Residual = call.Dst // in place
				residual = append(residual, call.Dst...)
			}
			if rapid.Bool().Draw(t, "mask") {
				call.Mask = randomFloats(rng, len(call.Dst))
			}
			NewWorker(Backend{impl}).Conv(&conv, &call)
			dst.requireUntouched(t)
			for range 50 {
				row, cell, o := rng.IntN(l.rows), rng.IntN(l.cells()), rng.IntN(l.out)
				at := (cell*l.rows+row)*out + o
				want := l.at(row, o, cell)
				if call.RowBias != nil {
					want += float64(call.RowBias[row*out+o] - l.bias[o])
				}
				if residual != nil {
					want += float64(residual[at])
				}
				if conv.ReLU {
					want = max(want, 0)
				}
				if call.Mask != nil && call.Mask[at] <= 0 {
					want = 0
				}
				require.InDelta(t, want, float64(dst.inner[at]), 2e-3, "row %d cell %d channel %d", row, cell, o)
			}
		})
	})
}

// TestBoards runs every way to compute a convolution on every board from a single cell to 19x19,
// and on strips.
func TestBoards(t *testing.T) {
	const rows, in, out = 2, 3, 2
	sides := [][2]int{{1, 19}, {19, 1}, {3, 19}, {19, 3}}
	for side := 1; side <= 19; side++ {
		sides = append(sides, [2]int{side, side})
	}
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rng, worker := rand.New(rand.NewPCG(9, 9)), NewWorker(Backend{impl})
		for _, side := range sides {
			l := layer{rows: rows, in: in, out: out, height: side[0], width: side[1], size: 3}
			l.x, l.w, l.bias = randomFloats(rng, rows*in*l.cells()), randomFloats(rng, out*in*9), randomFloats(rng, out)
			src, dst := make([]float32, l.cells()*rows*Lanes), make([]float32, l.cells()*rows*Lanes)
			Pack(src, l.x, rows, rows, in, l.cells(), in*l.cells())
			for _, tl := range []*tiling{nil, newTiling(3), newTiling(4), newTiling(5)} {
				weights := Backend{impl}.newWeights(9, in, out, tl)
				weights.Pack(0, l.w, l.bias)
				worker.Conv(&Conv{Grid: NewGrid(l.height, l.width, 3), Weights: weights}, &Call{Rows: rows, Src: src, Dst: dst})
				for cell := range l.cells() {
					require.InDelta(t, l.at(1, 0, cell), float64(dst[(cell*rows+1)*Lanes]), 1e-3, "%v, tiling %v, cell %d", side, tl, cell)
				}
			}
		}
	})
}

func TestLayoutsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const rows, channels, cells = 3, 18, 5
	x := randomFloats(rng, rows*channels*cells)
	inside := newGuarded(rng, cells*rows*Pad(channels))
	Pack(inside.inner, x, rows, rows, channels, cells, channels*cells)
	inside.requireUntouched(t)
	for at := channels; at < len(inside.inner); at += Pad(channels) {
		require.Equal(t, make([]float32, Pad(channels)-channels), inside.inner[at:at+Pad(channels)-channels], "padding is cleared")
	}

	back := make([]float32, len(x))
	Unpack(back, inside.inner, rows, rows, Pad(channels), 0, channels, cells, channels*cells)
	require.Equal(t, x, back)
	some := make([]float32, rows*2*cells)
	Unpack(some, inside.inner, rows, rows, Pad(channels), 7, 2, cells, 2*cells)
	require.Equal(t, x[(channels+7)*cells:][:2*cells], some[2*cells:4*cells])
}

func TestSumCells(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rapid.Check(t, func(t *rapid.T) {
			cells, numbers := rapid.IntRange(1, 30).Draw(t, "cells"), Lanes*rapid.IntRange(1, 9).Draw(t, "panels")
			rng := rand.New(rand.NewPCG(8, uint64(cells)))
			stride := numbers + Lanes*rapid.IntRange(0, 3).Draw(t, "other rows")
			src, dst := randomFloats(rng, cells*stride), newGuarded(rng, numbers)
			NewWorker(Backend{impl}).SumCells(dst.inner, src, cells, stride, 0.5)
			dst.requireUntouched(t)
			for i, got := range dst.inner {
				want := 0.0
				for cell := range cells {
					want += float64(src[cell*stride+i]) / 2
				}
				require.InDelta(t, want, float64(got), 1e-4, "number %d", i)
			}
		})
	})
}

// A worker does not allocate after its memory has grown.
func TestKernelsDoNotAllocate(t *testing.T) {
	const rows, channels = 5, 32
	for _, impl := range available() {
		board, backend := NewGrid(5, 5, 3), Backend{impl}
		weights, gradient, worker := backend.NewWeights(board, channels, channels), NewGradient(board, channels, channels), NewWorker(backend)
		w := make([]float32, channels*channels*9)
		src, dst := make([]float32, 25*rows*channels), make([]float32, 25*rows*channels)
		conv, call := &Conv{Grid: board, Weights: weights}, &Call{Rows: rows, Src: src, Dst: dst}
		diff := &WeightGradientCall{Rows: rows, Src: src, Grad: dst, To: gradient}
		require.Zero(t, testing.AllocsPerRun(5, func() {
			weights.Pack(0, w, nil)
			worker.Conv(conv, call)
			worker.WeightGradient(board, diff)
			worker.SumCells(dst[:rows*channels], src, 25, rows*channels, 1)
			Sum(w, nil, gradient)
		}), impl.name)
	}
}

func TestNamed(t *testing.T) {
	require.Equal(t, Names()[0], Best().Name())
	for _, name := range Names() {
		backend, err := Named(name)
		require.NoError(t, err)
		require.Equal(t, name, backend.Name())
	}
	_, err := Named("mmx")
	require.ErrorContains(t, err, `backend "mmx"`)
	require.Equal(t, "go", Backend{}.Name())
}

// TestConvOfSomeRows: rows that are computed alone have the same bits as in a complete call, and
// the other rows are unchanged.
func TestConvOfSomeRows(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rapid.Check(t, func(t *rapid.T) {
			l := drawLayer(t)
			rng := rand.New(rand.NewPCG(6, 4))
			in, out := Pad(l.in), Pad(l.out)
			weights := Backend{impl}.newWeights(l.size*l.size, l.in, l.out, l.drawTiling(t))
			weights.Pack(0, l.w, l.bias)
			conv := Conv{Grid: NewGrid(l.height, l.width, l.size), Weights: weights, ReLU: true}
			call := Call{Rows: l.rows, Src: make([]float32, l.cells()*l.rows*in), Dst: make([]float32, l.cells()*l.rows*out)}
			Pack(call.Src, l.x, l.rows, l.rows, l.in, l.cells(), l.in*l.cells())
			if rapid.Bool().Draw(t, "row bias") {
				call.RowBias = randomFloats(rng, l.rows*out)
			}
			if rapid.Bool().Draw(t, "residual and mask") {
				call.Residual, call.Mask = randomFloats(rng, len(call.Dst)), randomFloats(rng, len(call.Dst))
			}
			w := NewWorker(Backend{impl})
			w.Conv(&conv, &call)
			want := call.Dst
			call.Dst = randomFloats(rng, len(want))
			before := append([]float32(nil), call.Dst...)
			call.First = rapid.IntRange(0, l.rows-1).Draw(t, "first")
			call.Count = rapid.IntRange(1, l.rows-call.First).Draw(t, "count")
			w.Conv(&conv, &call)
			for i, got := range call.Dst {
				if row := i / out % l.rows; row < call.First || row >= call.First+call.Count {
					require.Equal(t, before[i], got, "row %d is changed", row)
				} else {
					require.Equal(t, want[i], got, "row %d", row)
				}
			}
		})
	})
}
