package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tiro/net"
	"tiro/net/kernel"
)

// builder puts a network's layers into a Gorgonia graph. The first error stays
// in err; after it nodes are nil and nothing more is built.
type builder struct {
	graph  *gorgonia.ExprGraph
	crew   *crew
	w      *net.Weights
	params gorgonia.Nodes // in the order of the weights' tensors
	named  map[string]*gorgonia.Node
	err    error
}

func newBuilder(w *net.Weights, c *crew) *builder {
	b := &builder{graph: gorgonia.NewGraph(), crew: c, w: w, named: map[string]*gorgonia.Node{}}
	for _, t := range w.Tensors() {
		n := b.input(t.Name, t.Data, t.Shape...)
		b.params = append(b.params, n)
		b.named[t.Name] = n
	}
	return b
}

// input adds a node over memory that the caller fills.
func (b *builder) input(name string, data []float32, shape ...int) *gorgonia.Node {
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
	return gorgonia.NewTensor(b.graph, tensor.Float32, len(shape),
		gorgonia.WithName(name), gorgonia.WithShape(shape...), gorgonia.WithValue(value))
}

// apply adds a node that computes o.
func (b *builder) apply(o *op, in ...*gorgonia.Node) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	for _, n := range in {
		o.ranks = append(o.ranks, n.Dims())
	}
	n, err := gorgonia.ApplyOp(o, in...)
	if err != nil {
		b.err = fmt.Errorf("graph: build %s: %w", o.name, err)
		return nil
	}
	return n
}

// layer is a node with activations and how they lie.
type layer struct {
	field
	node *gorgonia.Node
}

// network adds the network that package net defines over x [rows, planes,
// height, width] and returns the logits of its heads, [rows, actions] and
// [rows, outcomes].
func (b *builder) network(x *gorgonia.Node) (policy, outcome *gorgonia.Node) {
	c, spec := b.w.Config, b.w.Spec
	board := kernel.NewGrid(spec.Height, spec.Width, 3)
	cells := kernel.NewGrid(spec.Height, spec.Width, 1)
	one := kernel.NewGrid(1, 1, 1)

	h := b.enter("observation", x, field{spec.Planes, spec.Cells()})
	h = b.conv(conv{name: "stem", grid: board, relu: true}, h)
	for i := range c.Blocks {
		h = b.block(fmt.Sprintf("block.%d.", i), h, board, one)
	}
	policy = b.leave("policy", b.conv(conv{name: "policy", grid: cells}, h))

	v := b.conv(conv{name: "outcome.conv", grid: cells, relu: true}, h)
	v = b.enter("outcome.flat", b.leave("outcome.conv", v), field{c.OutcomeChannels * spec.Cells(), 1})
	if c.Hidden > 0 {
		v = b.conv(conv{name: "outcome.hidden", grid: one, relu: true}, v)
	}
	return policy, b.leave("outcome", b.conv(conv{name: "outcome.out", grid: one}, v))
}

// block adds a residual block.
func (b *builder) block(name string, h layer, board, one *kernel.Grid) layer {
	first := conv{name: name + "conv1", grid: board, relu: true}
	if b.w.Config.Pool {
		pool := conv{name: name + "pool", grid: one, bias: b.named[name+"conv1.bias"]}
		first.rowBias = b.conv(pool, b.mean(name+"mean", h)).node
	}
	y := b.conv(first, h)
	return b.conv(conv{name: name + "conv2", grid: board, relu: true, residual: h.node}, y)
}
