package graph

import (
	"gorgonia.org/gorgonia"
)

// relu returns max(x, 0). Its gradient looks at the output, so that the input
// need not be kept.
func (b *builder) relu(name string, x *gorgonia.Node) *gorgonia.Node {
	rank := x.Dims()
	o := newOp(name, []int{rank}, x.Shape()...)
	o.run = func(out []float32, in [][]float32) {
		for i, v := range in[0] {
			out[i] = max(v, 0)
		}
	}
	o.differentiable = []bool{true}
	o.grad = func(_ gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		back := newOp(name+".grad", []int{rank, rank}, x.Shape()...)
		back.run = func(dx []float32, in [][]float32) {
			y, dy := in[0], in[1]
			for i := range dx {
				dx[i] = 0
				if y[i] > 0 {
					dx[i] = dy[i]
				}
			}
		}
		dx, err := gorgonia.ApplyOp(back, out, grad)
		return gorgonia.Nodes{dx}, err
	}
	return b.apply(o, x)
}

// addBias returns x [rows, channels, cells...] with bias [channels] added to
// every cell.
func (b *builder) addBias(name string, x, bias *gorgonia.Node) *gorgonia.Node {
	rank, channels := x.Dims(), x.Shape()[1]
	cells := x.Shape().TotalSize() / (x.Shape()[0] * channels)
	o := newOp(name, []int{rank, 1}, x.Shape()...)
	o.run = func(out []float32, in [][]float32) { addToCells(out, in[0], in[1], channels, cells) }
	o.differentiable = []bool{true, true}
	o.grad = func(in gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		back := newOp(name+".grad", []int{rank}, channels)
		back.run = func(sums []float32, in [][]float32) {
			clear(sums)
			for i, dy := range in[0] {
				sums[i/cells%channels] += dy
			}
		}
		db, err := gorgonia.ApplyOp(back, grad)
		return gorgonia.Nodes{grad, db}, err
	}
	return b.apply(o, x, bias)
}

// addPool returns x [rows, channels, cells...] with s [rows, channels] added to
// every cell.
func (b *builder) addPool(name string, x, s *gorgonia.Node) *gorgonia.Node {
	rank, rows, channels := x.Dims(), x.Shape()[0], x.Shape()[1]
	cells := x.Shape().TotalSize() / (rows * channels)
	o := newOp(name, []int{rank, 2}, x.Shape()...)
	o.run = func(out []float32, in [][]float32) { addToCells(out, in[0], in[1], rows*channels, cells) }
	o.differentiable = []bool{true, true}
	o.grad = func(in gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		back := newOp(name+".grad", []int{rank}, rows, channels)
		back.run = func(sums []float32, in [][]float32) { sumCells(sums, in[0], cells, 1) }
		ds, err := gorgonia.ApplyOp(back, grad)
		return gorgonia.Nodes{grad, ds}, err
	}
	return b.apply(o, x, s)
}

// cellMean returns the mean over the cells of x [rows, channels, cells...] as
// [rows, channels].
func (b *builder) cellMean(name string, x *gorgonia.Node) *gorgonia.Node {
	rank, rows, channels := x.Dims(), x.Shape()[0], x.Shape()[1]
	cells := x.Shape().TotalSize() / (rows * channels)
	o := newOp(name, []int{rank}, rows, channels)
	o.run = func(out []float32, in [][]float32) { sumCells(out, in[0], cells, 1/float32(cells)) }
	o.differentiable = []bool{true}
	o.grad = func(in gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		back := newOp(name+".grad", []int{2}, x.Shape()...)
		back.run = func(dx []float32, in [][]float32) {
			for i, d := range in[0] {
				share := d / float32(cells)
				for j := range cells {
					dx[i*cells+j] = share
				}
			}
		}
		dx, err := gorgonia.ApplyOp(back, grad)
		return gorgonia.Nodes{dx}, err
	}
	return b.apply(o, x)
}

// addToCells writes x plus the number of each group of cells; numbers repeat
// after period groups.
func addToCells(out, x, numbers []float32, period, cells int) {
	for begin := 0; begin < len(x); begin += cells {
		s := numbers[begin/cells%period]
		for i, v := range x[begin : begin+cells] {
			out[begin+i] = v + s
		}
	}
}

// sumCells writes the sum of each group of cells, times scale.
func sumCells(sums, x []float32, cells int, scale float32) {
	for i := range sums {
		sum := float32(0)
		for _, v := range x[i*cells : (i+1)*cells] {
			sum += v
		}
		sums[i] = sum * scale
	}
}
