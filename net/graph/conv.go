package graph

import (
	"tiro/net/kernel"
)

// conv is a convolution with its backward pass. A fully connected layer is a convolution on a
// board of one cell.
type conv struct {
	grid         *kernel.Grid
	in, out      layout
	weight, bias *param    // bias may be nil
	x, d         []float32 // the input, and the gradient with respect to the output before its ReLU

	forward  kernel.Conv
	backward kernel.Conv        // computes the gradient with respect to the input
	shards   []*kernel.Gradient // each shard's gradient of weight and bias
}

// conv returns the convolution whose weight is the tensor name.weight, and whose bias is the
// tensor bias.bias if it exists.
func (n *network) conv(grid *kernel.Grid, name, bias string, relu bool) *conv {
	c := &conv{grid: grid, weight: n.param(name + ".weight"), bias: n.param(bias)}
	out, in := c.weight.Shape[0], c.weight.Shape[1]
	c.in, c.out = layout{in, grid.Cells()}, layout{out, grid.Cells()}
	c.forward = kernel.Conv{Grid: grid, Weights: n.workers.backend.NewWeights(grid, in, out), ReLU: relu}
	c.backward = kernel.Conv{Grid: grid, Weights: n.workers.backend.NewWeights(grid, out, in)}
	for range n.workers.shards() {
		c.shards = append(c.shards, kernel.NewGradient(grid, in, out))
	}
	n.convs = append(n.convs, c)
	return c
}

// params returns the learned parameters.
func (c *conv) params() []*param {
	if c.bias == nil {
		return []*param{c.weight}
	}
	return []*param{c.weight, c.bias}
}

// pack packs the weights for the forward pass.
func (c *conv) pack() {
	var bias []float32
	if c.bias != nil {
		bias = c.bias.Data
	}
	c.forward.Weights.Pack(0, c.weight.Data, bias)
}

// apply computes the rows of a window.
func (c *conv) apply(w *worker, v window, conv *kernel.Conv, call kernel.Call) {
	call.Rows, call.First, call.Count = v.rows, v.from, v.count
	w.Conv(conv, &call)
}

// learn computes a shard's gradient of weight and bias. The gradient of the weight is the sum of
// products of x and d over rows and cells, the gradient of the bias the sum of d.
func (c *conv) learn(w *worker, s shard) {
	w.WeightGradient(c.grid, &kernel.WeightGradientCall{Rows: s.rows, Src: c.in.of(c.x, s), Grad: c.out.of(c.d, s), To: c.shards[s.index]})
}

// work returns the number of multiplications of learn per row.
func (c *conv) work() int { return c.in.cells * len(c.weight.Data) }

// sum adds the shards' gradients for a panel of outputs, in the order of the shards.
func (c *conv) sum(panel int) {
	var bias []float32
	if c.bias != nil {
		bias = c.bias.grad
	}
	kernel.SumPanel(c.weight.grad, bias, panel, c.shards...)
}
