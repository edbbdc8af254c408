package kernel

// Pack copies count positions [channels, cells], the layout of games, to the first rows of the
// kernels' layout [cells, rows, Pad(channels)] with zero padding. Row r of src begins at r*stride.
func Pack(dst, src []float32, count, rows, channels, cells, stride int) {
	width := Pad(channels)
	step := rows * width
	for r := range count {
		from, to := src[r*stride:][:channels*cells], dst[r*width:]
		c := 0
		for ; c+8 <= channels; c += 8 {
			pack8(to[c:], from[c*cells:], cells, step)
		}
		for ; c < channels; c++ {
			for cell, v := range from[c*cells:][:cells] {
				to[cell*step+c] = v
			}
		}
		for cell := range cells {
			clear(to[cell*step+channels:][:width-channels])
		}
	}
}

// Unpack copies channels first to first+channels of the first count rows of the kernels' layout
// [cells, rows, width] to dst. Row r of dst is [channels, cells] and begins at r*stride.
func Unpack(dst, src []float32, count, rows, width, first, channels, cells, stride int) {
	step := rows * width
	for r := range count {
		from, to := src[r*width+first:], dst[r*stride:][:channels*cells]
		c := 0
		for ; c+8 <= channels; c += 8 {
			unpack8(to[c*cells:], from[c:], cells, step)
		}
		for ; c < channels; c++ {
			for cell := range cells {
				to[c*cells+cell] = from[cell*step+c]
			}
		}
	}
}

// pack8 copies eight channels src [8, cells] to cells of dst that are step elements apart, in half
// the time of eight single channels.
func pack8(dst, src []float32, cells, step int) {
	a, b, c, d := src[:cells], src[cells:][:cells], src[2*cells:][:cells], src[3*cells:][:cells]
	e, f, g, h := src[4*cells:][:cells], src[5*cells:][:cells], src[6*cells:][:cells], src[7*cells:][:cells]
	for i := range cells {
		to := dst[i*step:][:8]
		to[0], to[1], to[2], to[3] = a[i], b[i], c[i], d[i]
		to[4], to[5], to[6], to[7] = e[i], f[i], g[i], h[i]
	}
}

// unpack8 is the inverse of pack8.
func unpack8(dst, src []float32, cells, step int) {
	a, b, c, d := dst[:cells], dst[cells:][:cells], dst[2*cells:][:cells], dst[3*cells:][:cells]
	e, f, g, h := dst[4*cells:][:cells], dst[5*cells:][:cells], dst[6*cells:][:cells], dst[7*cells:][:cells]
	for i := range cells {
		from := src[i*step:][:8]
		a[i], b[i], c[i], d[i] = from[0], from[1], from[2], from[3]
		e[i], f[i], g[i], h[i] = from[4], from[5], from[6], from[7]
	}
}
