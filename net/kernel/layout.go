package kernel

// Pack copies positions [rows, channels, cells], the layout of games, to the kernels' layout
// [cells, rows, Pad(channels)] with zero padding.
func Pack(dst, src []float32, rows, channels, cells int) {
	width := Pad(channels)
	clear(dst[:cells*rows*width])
	for r := range rows {
		for c := range channels {
			for cell, v := range src[(r*channels+c)*cells:][:cells] {
				dst[(cell*rows+r)*width+c] = v
			}
		}
	}
}

// Unpack copies channels first to first+channels of the first count rows of the kernels' layout
// [cells, rows, width] to dst. Row r of dst is [channels, cells] and begins at r*stride.
func Unpack(dst, src []float32, count, rows, width, first, channels, cells, stride int) {
	for r := range count {
		for cell := range cells {
			out := dst[r*stride+cell:]
			for c, v := range src[(cell*rows+r)*width+first:][:channels] {
				out[c*cells] = v
			}
		}
	}
}
