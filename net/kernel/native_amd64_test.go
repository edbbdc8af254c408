package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The assembly of all instruction sets computes the same bits.
func TestAssemblyAgrees(t *testing.T) {
	const rows, channels = 7, 40
	rng := rand.New(rand.NewPCG(11, 11))
	board := NewGrid(5, 6, 3)
	width := Pad(channels)
	src, grad := randomFloats(rng, board.Cells()*rows*width), randomFloats(rng, board.Cells()*rows*width)
	w, bias := randomFloats(rng, channels*channels*9), randomFloats(rng, channels)
	for _, tl := range []*tiling{nil, newTiling(3), newTiling(4), newTiling(5)} {
		var first [][]float32
		for _, impl := range native() {
			weights := Backend{impl}.newWeights(9, channels, channels, tl)
			weights.Pack(0, w, bias)
			dst, dw, db := make([]float32, len(src)), make([]float32, len(w)), make([]float32, channels)
			worker, gradient := NewWorker(Backend{impl}), newGradient(9, channels, channels, tl)
			worker.Conv(&Conv{Grid: board, Weights: weights, ReLU: true}, &Call{Rows: rows, Src: src, Dst: dst})
			worker.WeightGradient(board, &WeightGradientCall{Rows: rows, Src: src, Grad: grad, To: gradient})
			Sum(dw, db, gradient)
			got := [][]float32{dst, dw, db}
			if first == nil {
				first = got
			}
			require.Equal(t, first, got, impl.name)
		}
	}
}
