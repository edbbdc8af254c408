package graph

import (
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tiro/net/kernel"
)

// conv is a convolution and what is fused with it,
//
//	act(weight * x + bias + residual),
//
// whose weight is the tensor name.weight. A fully connected layer is one on a
// board of one cell.
type conv struct {
	name     string
	grid     *kernel.Grid
	relu     bool
	bias     *gorgonia.Node // [out]; nil: the tensor name.bias, unless there is rowBias
	rowBias  *gorgonia.Node // a bias for each row, in place of bias: one cell with the output's channels
	residual *gorgonia.Node // laid out like the output; or nil

	in, out field
	packed  *kernel.Weights // of this step
}

// conv adds the convolution c of x.
func (b *builder) conv(c conv, x layer) layer {
	if b.err != nil {
		return layer{}
	}
	weight := b.named[c.name+".weight"]
	c.in, c.out = x.field, field{weight.Shape()[0], x.cells}
	c.packed = b.crew.set.NewWeights(c.grid, c.in.channels, c.out.channels)
	if c.bias == nil {
		c.bias = b.named[c.name+".bias"]
	}
	bias := c.bias
	if c.rowBias != nil {
		bias = c.rowBias
	}
	inputs := gorgonia.Nodes{x.node, weight, bias}
	if c.residual != nil {
		inputs = append(inputs, c.residual)
	}
	o := b.op(c.name, c.out, func(out []float32, in [][]float32) { c.run(b.crew, out, in) })
	o.grads = func(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		return c.grads(b, in, out, grad)
	}
	return layer{c.out, b.apply(o, inputs...)}
}

func (c *conv) run(crew *crew, out []float32, in [][]float32) {
	x, weight, bias := in[0], in[1], in[2]
	if c.rowBias != nil {
		c.packed.Pack(0, weight, nil)
	} else {
		c.packed.Pack(0, weight, bias)
	}
	k := kernel.Conv{Grid: c.grid, Weights: c.packed, ReLU: c.relu}
	rowField := field{c.out.channels, 1}
	crew.each(func(w *kernel.Worker, _, first, rows int) {
		call := kernel.Call{Rows: rows, Src: c.in.shard(x, first, rows), Dst: c.out.shard(out, first, rows)}
		if c.rowBias != nil {
			call.RowBias = rowField.shard(bias, first, rows)
		}
		if c.residual != nil {
			call.Residual = c.out.shard(in[3], first, rows)
		}
		w.Conv(&k, &call)
	})
}

// grads adds the gradients by the inputs of the convolution. With d the
// gradient before the rectifier: by x it is a convolution of d with the weights
// turned about; by the weights a sum of products of x and d over rows and cells;
// by the bias a sum of d; by the residual d itself.
func (c *conv) grads(b *builder, in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	d := grad
	if c.relu {
		d = b.apply(b.op(c.name+".mask", c.out, func(dst []float32, in [][]float32) {
			b.crew.each(func(w *kernel.Worker, _, first, rows int) {
				w.MaskGrad(c.out.shard(dst, first, rows), c.out.shard(in[0], first, rows), c.out.shard(in[1], first, rows))
			})
		}), out, grad)
	}
	x, weight := in[0], in[1]
	bias := make([]float32, c.out.channels)
	byWeight := b.apply(c.weightGrad(b, weight.Shape(), bias), x, d)
	grads := gorgonia.Nodes{b.apply(c.inputGrad(b), weight, d), byWeight}
	if c.rowBias != nil {
		rowField := field{c.out.channels, 1}
		grads = append(grads, b.apply(b.op(c.name+".rowbias.grad", rowField, func(dst []float32, in [][]float32) {
			b.crew.each(func(w *kernel.Worker, _, first, rows int) {
				w.SumCells(rowField.shard(dst, first, rows), c.out.shard(in[0], first, rows), c.out.cells, 1)
			})
		}), d))
	} else {
		// It reads the weights' gradient only in order to come after it.
		grads = append(grads, b.apply(&op{name: c.name + ".bias.grad", shape: []int{c.out.channels}, run: func(dst []float32, _ [][]float32) {
			copy(dst, bias)
		}}, byWeight))
	}
	if c.residual != nil {
		grads = append(grads, d)
	}
	return grads, b.err
}

// inputGrad returns the operator of the gradient by x from weight and d.
func (c *conv) inputGrad(b *builder) *op {
	packed := b.crew.set.NewWeights(c.grid, c.out.channels, c.in.channels)
	k := kernel.Conv{Grid: c.grid, Weights: packed}
	return b.op(c.name+".input.grad", c.in, func(dst []float32, in [][]float32) {
		packed.PackTransposed(in[0])
		b.crew.each(func(w *kernel.Worker, _, first, rows int) {
			w.Conv(&k, &kernel.Call{Rows: rows, Src: c.out.shard(in[1], first, rows), Dst: c.in.shard(dst, first, rows)})
		})
	})
}

// weightGrad returns the operator of the gradient by the weights from x and d.
// Every shard has a sum of its own; they are added in order. The gradient by
// the bias comes along and goes to bias.
func (c *conv) weightGrad(b *builder, shape tensor.Shape, bias []float32) *op {
	parts := make([]*kernel.Gradient, b.crew.shards())
	for i := range parts {
		parts[i] = kernel.NewGradient(c.grid, c.in.channels, c.out.channels)
	}
	return &op{name: c.name + ".weight.grad", shape: shape, run: func(dst []float32, in [][]float32) {
		b.crew.each(func(w *kernel.Worker, shard, first, rows int) {
			w.WeightGrad(c.grid, &kernel.Differentiation{
				Rows: rows, Src: c.in.shard(in[0], first, rows), Grad: c.out.shard(in[1], first, rows), To: parts[shard],
			})
		})
		kernel.Sum(dst, bias, parts...)
	}}
}
