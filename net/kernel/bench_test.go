package kernel

import (
	"fmt"
	"testing"
)

// Benchmarks report GFLOPS of the definition: two operations for each pair of channels and each
// tap on the board, however the kernel computes it. Figures above the peak of BenchmarkPeak come
// from tilings.
func reportGFLOPS(b *testing.B, products int) {
	b.ReportMetric(2*float64(products)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
}

// BenchmarkPeak multiplies one tile whose operands stay in the first-level cache, so that it
// measures how fast the core multiplies and adds.
func BenchmarkPeak(b *testing.B) {
	for _, impl := range testable() {
		b.Run(impl.name, func(b *testing.B) {
			const k = 64
			m, n := impl.rows, impl.panels
			t := &tile{
				a: make([]float32, m*k), b: make([]float32, n*k*Lanes), c: make([]float32, m*n*Lanes), init: make([]float32, n*Lanes),
				segments: []segment{{}}, lda: k, ldc: n * Lanes, panel: k * Lanes, m: m, n: n, k: k,
			}
			t.checkMultiply()
			for b.Loop() {
				impl.multiply(t)
			}
			reportGFLOPS(b, m*n*Lanes*k)
		})
	}
}

// BenchmarkLayers runs the layers of a network with 64 channels on 24 rows.
func BenchmarkLayers(b *testing.B) {
	const rows, channels = 24, 64
	for _, impl := range testable() {
		backend, w := Backend{impl}, NewWorker(Backend{impl})
		for _, side := range []int{3, 5, 8, 9, 15, 19} {
			board, cell := NewGrid(side, side, 3), NewGrid(side, side, 1)
			src, dst := make([]float32, side*side*rows*channels), make([]float32, side*side*rows*channels)
			taps := (3*side - 2) * (3*side - 2) // taps on the board
			run := func(name string, products int, f func()) {
				b.Run(fmt.Sprintf("%s/%dx%d/%s", impl.name, side, side, name), func(b *testing.B) {
					for b.Loop() {
						f()
					}
					reportGFLOPS(b, products*rows)
				})
			}
			conv := func(grid *Grid, weights *Weights) func() {
				return func() {
					w.Conv(&Conv{Grid: grid, Weights: weights}, &Call{Rows: rows, Src: src, Dst: dst})
				}
			}
			run("stem", taps*16*channels, conv(board, backend.NewWeights(board, 16, channels)))
			run("conv", taps*channels*channels, conv(board, backend.NewWeights(board, channels, channels)))
			run("conv-by-definition", taps*channels*channels, conv(board, backend.newWeights(9, channels, channels, nil)))
			run("head", side*side*channels*48, conv(cell, backend.NewWeights(cell, channels, 48)))
			gradient := NewGradient(board, channels, channels)
			run("weight-gradient", taps*channels*channels, func() {
				w.WeightGradient(board, &WeightGradientCall{Rows: rows, Src: src, Grad: dst, To: gradient})
			})
		}
	}
}
