package graph

import "tiro/net/kernel"

// field is the memory layout of activations inside the graph: shard after
// shard, each as the kernels have it, [cells, rows, Pad(channels)], zeros where
// padded.
type field struct{ channels, cells int }

// width returns the numbers of a cell.
func (f field) width() int { return kernel.Pad(f.channels) }

// size returns how many numbers rows take.
func (f field) size(rows int) int { return rows * f.cells * f.width() }

// make returns memory for that many rows.
func (f field) make(rows int) []float32 { return make([]float32, f.size(rows)) }

// of returns the part of x that holds a shard.
func (f field) of(x []float32, s shard) []float32 { return x[f.size(s.first):][:f.size(s.rows)] }

// enter copies rows src, each [channels, cells] and stride numbers after the
// one before, to dst.
func (f field) enter(dst, src []float32, rows, stride int) {
	width := f.width()
	for r := range rows {
		for cell := range f.cells {
			to := dst[(cell*rows+r)*width:][:width]
			from := src[r*stride+cell:]
			for c := range f.channels {
				to[c] = from[c*f.cells]
			}
			clear(to[f.channels:])
		}
	}
}

// leave copies rows src to dst, each [channels, cells] and stride numbers after
// the one before.
func (f field) leave(dst, src []float32, rows, stride int) {
	kernel.Unpack(dst, src, rows, f.width(), 0, f.channels, f.cells, stride)
}
