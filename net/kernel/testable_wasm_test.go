package kernel

import (
	"math"
	"math/rand/v2"
	"sync"
	"syscall/js"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// instantiate instantiates the kernels through testdata/run.cjs.
var instantiate = sync.OnceFunc(func() {
	code := SIMDModule()
	bytes := js.Global().Get("Uint8Array").New(len(code))
	js.CopyBytesToJS(bytes, code)
	js.Global().Call("tiroKernels", bytes)
})

// testable returns the backends that tests compare.
func testable() []*implementation {
	instantiate()
	return []*implementation{useSIMD, pureGo}
}

// TestSIMDIsPureGo: convolutions have the same bits, whatever their options.
func TestSIMDIsPureGo(t *testing.T) {
	instantiate()
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayer(t)
		tiling := l.drawTiling(t)
		relu, bias, residual, mask := rapid.Bool().Draw(t, "relu"), rapid.Bool().Draw(t, "row bias"), rapid.Bool().Draw(t, "residual"), rapid.Bool().Draw(t, "mask")
		compute := func(impl *implementation) []float32 {
			rng := rand.New(rand.NewPCG(7, 7))
			weights := Backend{impl}.newWeights(l.size*l.size, l.in, l.out, tiling)
			weights.Pack(0, l.w, l.bias)
			src, dst := make([]float32, l.cells()*l.rows*Pad(l.in)), randomFloats(rng, l.cells()*l.rows*Pad(l.out))
			Pack(src, l.x, l.rows, l.rows, l.in, l.cells(), l.in*l.cells())
			call := Call{Rows: l.rows, Src: src, Dst: dst}
			if bias {
				call.RowBias = randomFloats(rng, l.rows*Pad(l.out))
			}
			if residual {
				call.Residual = call.Dst
			}
			if mask {
				call.Mask = randomFloats(rng, len(call.Dst))
			}
			conv := Conv{Grid: NewGrid(l.height, l.width, l.size), Weights: weights, ReLU: relu}
			NewWorker(Backend{impl}).Conv(&conv, &call)
			return dst
		}
		require.Equal(t, bits(compute(pureGo)), bits(compute(useSIMD)))
	})
}

// TestSIMDSumsArePureGo: sums over cells have the same bits.
func TestSIMDSumsArePureGo(t *testing.T) {
	instantiate()
	rng := rand.New(rand.NewPCG(8, 8))
	for _, rows := range []int{1, 2, 5, 12} {
		src := randomFloats(rng, 25*rows*3*Lanes)
		want, got := make([]float32, rows*3*Lanes), make([]float32, rows*3*Lanes)
		NewWorker(Backend{pureGo}).SumCells(want, src, 25, len(want), 1/float32(25))
		NewWorker(SIMD()).SumCells(got, src, 25, len(got), 1/float32(25))
		require.Equal(t, bits(want), bits(got))
	}
}

// bits returns the bits of the numbers, so that 0 and -0 differ.
func bits(x []float32) []uint32 {
	all := make([]uint32, len(x))
	for i, v := range x {
		all[i] = math.Float32bits(v)
	}
	return all
}
