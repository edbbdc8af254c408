package kernel_test

import (
	"fmt"

	"tiro/net/kernel"
)

// A filter sums a cell and its neighbours on a board of ones.
func Example() {
	const rows, channels, cells = 1, 1, 9
	ones := make([]float32, cells)
	for i := range ones {
		ones[i] = 1
	}
	backend := kernel.Best()
	board := kernel.NewGrid(3, 3, 3)
	weights := backend.NewWeights(board, channels, channels)
	weights.Pack(0, ones, nil)

	src := make([]float32, cells*rows*kernel.Pad(channels))
	dst := make([]float32, len(src))
	kernel.Pack(src, ones, rows, rows, channels, cells, channels*cells)
	worker := kernel.NewWorker(backend)
	worker.Conv(&kernel.Conv{Grid: board, Weights: weights}, &kernel.Call{Rows: rows, Src: src, Dst: dst})

	sums := make([]float32, cells)
	kernel.Unpack(sums, dst, rows, rows, kernel.Pad(channels), 0, channels, cells, cells)
	fmt.Printf("%.0f\n%.0f\n%.0f\n", sums[:3], sums[3:6], sums[6:])
	// Output:
	// [4 6 4]
	// [6 9 6]
	// [4 6 4]
}
