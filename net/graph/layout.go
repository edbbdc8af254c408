package graph

import (
	"tiro/net/kernel"
)

// layout is the memory layout of activations: shard after shard, each in the kernels' layout
// [cells, rows, Pad(channels)], zero-padded.
type layout struct{ channels, cells int }

// width returns the number of elements per cell.
func (l layout) width() int { return kernel.Pad(l.channels) }

// size returns the number of elements of rows rows.
func (l layout) size(rows int) int { return rows * l.cells * l.width() }

// make returns memory for rows rows.
func (l layout) make(rows int) []float32 {
	return make([]float32, l.size(rows))
}

// of returns the part of x for a shard.
func (l layout) of(x []float32, s shard) []float32 { return x[l.size(s.first):][:l.size(s.rows)] }

// rowsOf returns the rows of a window in x, which has all rows, each of width elements.
func rowsOf(x []float32, v window, width int) []float32 { return x[v.row()*width:][:v.count*width] }

// pack copies the rows of a window from src to its shard dst. Rows in src are [channels, cells]
// and stride elements apart.
func (l layout) pack(dst, src []float32, v window, stride int) {
	kernel.Pack(dst[v.from*l.width():], src, v.count, v.rows, l.channels, l.cells, stride)
}

// unpack copies the rows of a window from its shard src to dst. Rows in dst are [channels, cells]
// and stride elements apart.
func (l layout) unpack(dst, src []float32, v window, stride int) {
	kernel.Unpack(dst, src[v.from*l.width():], v.count, v.rows, l.width(), 0, l.channels, l.cells, stride)
}
