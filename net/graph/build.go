package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tiro/net"
)

// builder puts a network's layers into a Gorgonia graph. The first error stays
// in err; after it every method returns nil.
type builder struct {
	graph  *gorgonia.ExprGraph
	w      *net.Weights
	params gorgonia.Nodes // in the order of the weights' tensors
	named  map[string]*gorgonia.Node
	err    error
}

func newBuilder(w *net.Weights) *builder {
	b := &builder{graph: gorgonia.NewGraph(), w: w, named: map[string]*gorgonia.Node{}}
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

func (b *builder) apply(o gorgonia.Op, in ...*gorgonia.Node) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	n, err := gorgonia.ApplyOp(o, in...)
	return b.keep(n, err)
}

// keep notes the first error.
func (b *builder) keep(n *gorgonia.Node, err error) *gorgonia.Node {
	if b.err == nil && err != nil {
		b.err = fmt.Errorf("graph: build: %w", err)
	}
	if b.err != nil {
		return nil
	}
	return n
}

// network adds the network that package net defines over x [rows, planes,
// height, width] and returns the logits of its heads, [rows, actions] and
// [rows, outcomes].
func (b *builder) network(x *gorgonia.Node) (policy, outcome *gorgonia.Node) {
	c, spec, rows := b.w.Config, b.w.Spec, x.Shape()[0]
	h := b.relu("stem", b.conv("stem", x))
	for i := range c.Blocks {
		h = b.block(fmt.Sprintf("block.%d", i), h)
	}
	policy = b.reshape(b.conv("policy", h), rows, spec.Actions())

	v := b.relu("outcome", b.conv("outcome.conv", h))
	v = b.reshape(v, rows, c.OutcomeChannels*spec.Cells())
	if c.Hidden > 0 {
		v = b.relu("outcome.hidden", b.dense("outcome.hidden", v))
	}
	return policy, b.dense("outcome.out", v)
}

// block adds a residual block.
func (b *builder) block(name string, h *gorgonia.Node) *gorgonia.Node {
	y := b.conv(name+".conv1", h)
	if b.w.Config.Pool {
		pooled := b.matmul(b.cellMean(name+".mean", h), name+".pool.weight")
		y = b.addPool(name+".pool", y, pooled)
	}
	y = b.conv(name+".conv2", b.relu(name+".inner", y))
	return b.relu(name, b.add(h, y))
}

// conv adds the convolution whose tensors begin with name, its bias included,
// with as much padding as keeps the board's size.
func (b *builder) conv(name string, x *gorgonia.Node) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	filter := b.named[name+".weight"]
	side := filter.Shape()[2]
	pad, one := []int{side / 2, side / 2}, []int{1, 1}
	y := b.keep(gorgonia.Conv2d(x, filter, tensor.Shape{side, side}, pad, one, one))
	return b.addBias(name+".addbias", y, b.named[name+".bias"])
}

// dense adds the fully connected layer whose tensors begin with name.
func (b *builder) dense(name string, x *gorgonia.Node) *gorgonia.Node {
	return b.addBias(name+".addbias", b.matmul(x, name+".weight"), b.named[name+".bias"])
}

// matmul returns x [rows, in] times the transpose of the weights [out, in].
func (b *builder) matmul(x *gorgonia.Node, weight string) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	transposed := b.keep(gorgonia.Transpose(b.named[weight], 1, 0))
	if b.err != nil {
		return nil
	}
	return b.keep(gorgonia.Mul(x, transposed))
}

func (b *builder) add(x, y *gorgonia.Node) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	return b.keep(gorgonia.Add(x, y))
}

func (b *builder) reshape(x *gorgonia.Node, shape ...int) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	return b.keep(gorgonia.Reshape(x, shape))
}
