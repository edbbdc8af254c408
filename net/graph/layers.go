package graph

import (
	"gorgonia.org/gorgonia"

	"tiro/net/kernel"
)

// enter adds a node that lays x [rows, channels, cells…] out as f. Its gradient
// is the way back.
func (b *builder) enter(name string, x *gorgonia.Node, f field) layer {
	if b.err != nil {
		return layer{}
	}
	from := x.Shape()
	o := b.entering(name+".enter", f)
	o.grads = func(_ gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		return b.gradient(b.leaving(name+".enter.grad", f, from...), grad)
	}
	return layer{f, b.apply(o, x)}
}

// leave adds a node that lays the activations out as [rows, channels*cells].
func (b *builder) leave(name string, x layer) *gorgonia.Node {
	f := x.field
	o := b.leaving(name+".leave", f, b.crew.rows, f.channels*f.cells)
	o.grads = func(_ gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		return b.gradient(b.entering(name+".leave.grad", f), grad)
	}
	return b.apply(o, x.node)
}

func (b *builder) entering(name string, f field) *op {
	numbers := f.channels * f.cells
	return b.op(name, f, func(out []float32, in [][]float32) {
		b.crew.each(func(_ *kernel.Worker, _, first, rows int) {
			kernel.Enter(f.shard(out, first, rows), in[0][first*numbers:], rows, f.channels, f.cells)
		})
	})
}

func (b *builder) leaving(name string, f field, shape ...int) *op {
	numbers := f.channels * f.cells
	return &op{name: name, shape: shape, run: func(out []float32, in [][]float32) {
		b.crew.each(func(_ *kernel.Worker, _, first, rows int) {
			kernel.Leave(out[first*numbers:], f.shard(in[0], first, rows), rows, f.width(), 0, f.channels, f.cells, numbers)
		})
	}}
}

// mean adds the means over the cells.
func (b *builder) mean(name string, x layer) layer {
	f, mean := x.field, field{x.channels, 1}
	o := b.op(name, mean, func(out []float32, in [][]float32) {
		b.crew.each(func(w *kernel.Worker, _, first, rows int) {
			w.SumCells(mean.shard(out, first, rows), f.shard(in[0], first, rows), f.cells, 1/float32(f.cells))
		})
	})
	o.grads = func(_ gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		return b.gradient(b.op(name+".grad", f, func(out []float32, in [][]float32) {
			b.crew.each(func(_ *kernel.Worker, _, first, rows int) {
				spread(f.shard(out, first, rows), mean.shard(in[0], first, rows), f.cells)
			})
		}), grad)
	}
	return layer{mean, b.apply(o, x.node)}
}

// spread writes each number's share to each of cells copies of x.
func spread(dst, x []float32, cells int) {
	share := 1 / float32(cells)
	for cell := range cells {
		for i, v := range x {
			dst[cell*len(x)+i] = v * share
		}
	}
}

// op returns an operator whose output lies as f.
func (b *builder) op(name string, f field, run func(out []float32, in [][]float32)) *op {
	return &op{name: name, shape: []int{b.crew.rows * f.cells, f.width()}, run: run}
}

// gradient adds the node of a gradient, as the only one of an operator.
func (b *builder) gradient(o *op, in ...*gorgonia.Node) (gorgonia.Nodes, error) {
	n := b.apply(o, in...)
	return gorgonia.Nodes{n}, b.err
}
