//go:build amd64 || arm64

package kernel

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// bitsOfAssembly is the digest of exercise with the assembly of every instruction set.
const bitsOfAssembly = "d4b184a3d1df3c0c"

// TestAssemblyAgrees: the assembly of all instruction sets computes the same bits.
func TestAssemblyAgrees(t *testing.T) {
	for _, impl := range native() {
		require.Equal(t, bitsOfAssembly, digest(exercise(impl)), impl.name)
	}
}

// exercise runs all kernels of an implementation: the definition and every tiling, with all
// options of a call, and with special numbers that ReLUs and masks must preserve.
func exercise(impl *implementation) (all [][]float32) {
	const rows, channels = 7, 40
	rng := rand.New(rand.NewPCG(11, 11))
	board := NewGrid(5, 6, 3)
	width := Pad(channels)
	numbers := board.Cells() * rows * width
	src, grad, residual, mask := randomFloats(rng, numbers), randomFloats(rng, numbers), randomFloats(rng, numbers), randomFloats(rng, numbers)
	special := []float32{float32(math.Copysign(0, -1)), 0, float32(math.Inf(1)), float32(math.Inf(-1))}
	for i := range 40 {
		residual[7*i] = special[i%4]
		mask[11*i] = special[(i/2)%4]
	}
	w, bias := randomFloats(rng, channels*channels*9), randomFloats(rng, channels)
	rowBias := randomFloats(rng, rows*width)
	for _, tl := range []*tiling{nil, newTiling(3), newTiling(4), newTiling(5)} {
		weights := Backend{impl}.newWeights(9, channels, channels, tl)
		weights.Pack(0, w, bias)
		worker, gradient := NewWorker(Backend{impl}), newGradient(9, channels, channels, tl)
		for _, call := range []Call{
			{},
			{Residual: residual, RowBias: rowBias},
			{Residual: residual, Mask: mask},
		} {
			call.Rows, call.Src, call.Dst = rows, src, make([]float32, numbers)
			worker.Conv(&Conv{Grid: board, Weights: weights, ReLU: call.Mask == nil}, &call)
			all = append(all, call.Dst)
		}
		dw, db := make([]float32, len(w)), make([]float32, channels)
		worker.WeightGradient(board, &WeightGradientCall{Rows: rows, Src: src, Grad: grad, To: gradient})
		Sum(dw, db, gradient)
		all = append(all, dw, db)
	}
	return all
}

// digest returns a checksum of the bits of all numbers.
func digest(all [][]float32) string {
	h := sha256.New()
	for _, x := range all {
		for _, v := range x {
			_ = binary.Write(h, binary.LittleEndian, math.Float32bits(v))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestAssemblyUndisturbed: the runtime may move stacks, collect garbage and switch
// goroutines around the assembly.
func TestAssemblyUndisturbed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	for _, impl := range native() {
		var deep func(depth int) (string, int)
		deep = func(depth int) (string, int) {
			var frame [64]int // grows the stack
			if depth == 0 {
				return digest(exercise(impl)), 0
			}
			runtime.Gosched()
			got, below := deep(depth - 1)
			frame[depth%64] = below + 1
			return got, frame[depth%64]
		}
		var running sync.WaitGroup
		for i := range 8 {
			running.Go(func() {
				if got, depth := deep(200 * i); got != bitsOfAssembly {
					t.Errorf("%s: digest %s at depth %d", impl.name, got, depth)
				}
			})
		}
		running.Wait()
	}
}
