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

// rowsOf returns the rows of a window in memory for all rows, each of width numbers.
func rowsOf(x []float32, v window, width int) []float32 { return x[v.row()*width:][:v.count*width] }

// pack copies the rows of a window from src, each [channels, cells] and stride numbers
// after the one before, to its shard dst.
func (l layout) pack(dst, src []float32, v window, stride int) {
	width := l.width()
	for r := range v.count {
		for cell := range l.cells {
			to := dst[(cell*v.rows+v.from+r)*width:][:width]
			from := src[r*stride+cell:]
			for c := range l.channels {
				to[c] = from[c*l.cells]
			}
			clear(to[l.channels:])
		}
	}
}

// unpack copies the rows of a window from its shard src to dst, each [channels, cells] and
// stride numbers after the one before.
func (l layout) unpack(dst, src []float32, v window, stride int) {
	for r := range v.count {
		for cell := range l.cells {
			to := dst[r*stride+cell:]
			for c, x := range src[(cell*v.rows+v.from+r)*l.width():][:l.channels] {
				to[c*l.cells] = x
			}
		}
	}
}
