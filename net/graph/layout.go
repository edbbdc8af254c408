package graph

import (
	"tiro/net/kernel"
)

// layout is how activations lie in memory: shard after shard, each as the kernels
// have it, [cells, rows, Pad(channels)], zeros where padded.
type layout struct{ channels, cells int }

// width returns the numbers of a cell.
func (l layout) width() int { return kernel.Pad(l.channels) }

// size returns how many numbers rows take.
func (l layout) size(rows int) int { return rows * l.cells * l.width() }

// make returns memory for that many rows.
func (l layout) make(rows int) []float32 {
	return make([]float32, l.size(rows))
}

// of returns the part of x that holds a shard.
func (l layout) of(x []float32, s shard) []float32 { return x[l.size(s.first):][:l.size(s.rows)] }

// pack copies rows of src, each [channels, cells] and stride numbers after the one
// before, to dst.
func (l layout) pack(dst, src []float32, rows, stride int) {
	width := l.width()
	for r := range rows {
		for cell := range l.cells {
			to := dst[(cell*rows+r)*width:][:width]
			from := src[r*stride+cell:]
			for c := range l.channels {
				to[c] = from[c*l.cells]
			}
			clear(to[l.channels:])
		}
	}
}

// unpack copies rows of src to dst, each [channels, cells] and stride numbers
// after the one before.
func (l layout) unpack(dst, src []float32, rows, stride int) {
	kernel.Unpack(dst, src, rows, l.width(), 0, l.channels, l.cells, stride)
}
