package opencl

import (
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/opencl/cl"
)

// loaded are the objects of a network on the device.
type loaded struct {
	buffers []*cl.Buffer
	kernels []*cl.Kernel
}

func (l *loaded) free() {
	for _, b := range l.buffers {
		b.Free()
	}
	for _, k := range l.kernels {
		k.Free()
	}
}

// loader sends weights to the device. After an error it does nothing.
type loader struct {
	backend *Backend
	weights *net.Weights
	loaded  *loaded
	err     error
}

// kernel returns a new kernel. Each layer has its own, which keeps most arguments from batch to
// batch.
func (l *loader) kernel(name string) *cl.Kernel {
	if l.err != nil {
		return nil
	}
	k, err := l.backend.program.Kernel(name)
	if l.err = err; err == nil {
		l.loaded.kernels = append(l.loaded.kernels, k)
	}
	return k
}

// buffer returns a buffer with the contents x.
func (l *loader) buffer(x []float32) *cl.Buffer {
	if l.err != nil {
		return nil
	}
	b, err := l.backend.context.Alloc(4 * len(x))
	if err == nil {
		l.loaded.buffers = append(l.loaded.buffers, b)
		err = l.backend.queue.Write(b, cl.Bytes(x))
	}
	l.err = err
	return b
}

// bias returns the biases of layers side by side, with zero padding.
func (l *loader) bias(names ...string) []float32 {
	var all []float32
	for _, name := range names {
		all = append(all, l.weights.Tensor(name+".bias")...)
	}
	return append(all, make([]float32, padded(len(all), lanes)-len(all))...)
}

// matrix returns a product with weights [batch, in, out], padded, that at(z, in, out) returns.
func (l *loader) matrix(batch, in, out int, at func(z, i, o int) float32) product {
	ldb, rows := padded(padded(out, lanes), columns), padded(in, lanes)
	x := make([]float32, batch*rows*ldb)
	for z := range batch {
		for i := range in {
			row := x[(z*rows+i)*ldb:]
			for o := range out {
				row[o] = at(z, i, o)
			}
		}
	}
	p := product{kernel: l.kernel("multiply"), weights: l.buffer(x), batch: batch, in: rows, out: padded(out, lanes), cpu: l.backend.cpu}
	p.bias = p.weights
	return p
}

// product returns the layer of a 1x1 convolution, or of several side by side, or of a dense
// layer.
func (l *loader) product(in int, flags int32, names ...string) product {
	var w []float32 // [out, in]
	for _, name := range names {
		w = append(w, l.weights.Tensor(name+".weight")...)
	}
	p := l.matrix(1, in, len(w)/in, func(_, i, o int) float32 { return w[o*in+i] })
	if p.flags = flags; flags&withBias != 0 {
		p.bias = l.buffer(l.bias(names...))
	}
	return p
}

// conv returns the layer of a 3x3 convolution.
func (l *loader) conv(b *kernel.Board, in, out int, name string, flags int32) conv {
	points := transformed(l.weights.Tensor(name+".weight"), b.Tiling.Filter)
	size := string(rune('0' + b.Tiling.Size))
	return conv{
		Board: b, flags: flags, toPoints: l.kernel("input" + size), fromSums: l.kernel("output" + size), bias: l.buffer(l.bias(name)),
		product: l.matrix(b.Points(), in, out, func(z, i, o int) float32 { return points[(o*in+i)*b.Points()+z] }),
	}
}

// transformed transforms filters [n, 3, 3] to points [n, points, points] by the matrix [points,
// 3], in double precision.
func transformed(filters []float32, matrix [][]float32) []float32 {
	points := make([]float32, 0, len(filters)/9*len(matrix)*len(matrix))
	for ; len(filters) > 0; filters = filters[9:] {
		for _, row := range matrix {
			var line [3]float64 // of the filter's columns
			for x := range line {
				for y, c := range row {
					line[x] += float64(float64(c) * float64(filters[y*3+x]))
				}
			}
			for _, row := range matrix {
				sum := 0.0
				for x, c := range row {
					sum += float64(float64(c) * line[x])
				}
				points = append(points, float32(sum))
			}
		}
	}
	return points
}
