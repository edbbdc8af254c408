package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tiro/net"
	"tiro/net/kernel"
)

// builder puts a network into a Gorgonia graph. The first error stays in err;
// after it nodes are nil and nothing more is built.
type builder struct {
	graph   *gorgonia.ExprGraph
	workers *workerPool
	params  map[string]*param // by the tensor's name
	nodes   gorgonia.Nodes    // of the parameters, in the order of the weights' tensors
	convs   []*conv           // all of the network
	err     error

	// The gradient by the trunk, [rows] of the trunk's field. It has one place
	// for the whole network: each layer replaces what it has read.
	trunkGrad []float32
}

// param is a tensor of the network.
type param struct {
	node        *gorgonia.Node
	shape       []int
	value, grad []float32
}

// newBuilder returns a builder for a network with weights w, whose gradients go
// to grads, laid out like w.Flat().
func newBuilder(w *net.Weights, grads []float32, c *workerPool) *builder {
	b := &builder{graph: gorgonia.NewGraph(), workers: c, params: map[string]*param{}}
	for _, t := range w.Tensors() {
		n := len(t.Data)
		p := &param{b.input(t.Name, t.Data, t.Shape...), t.Shape, t.Data, grads[:n:n]}
		grads = grads[n:]
		b.nodes = append(b.nodes, p.node)
		b.params[t.Name] = p
	}
	return b
}

// input adds a node over memory that the caller fills.
func (b *builder) input(name string, data []float32, shape ...int) *gorgonia.Node {
	return gorgonia.NewTensor(b.graph, tensor.Float32, len(shape),
		gorgonia.WithName(name), gorgonia.WithShape(shape...), gorgonia.WithValue(tensorOf(data, shape...)))
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

// layer is a part of the network that is one operator forward and one backward.
// The backward pass of a layer on the trunk reads the gradient by its output,
// before the output was rectified, and replaces it with that by its input,
// before that was rectified: so no pass is spent on rectifiers.
type layer interface {
	convs() []*conv
	forward(w *worker, s shard)
	backward(w *worker, s shard)
}

// add adds a layer that computes value from x. Its backward pass leaves the
// gradient by x in grad; nil says that there is none to be had.
func (b *builder) add(name string, l layer, value, grad *tensor.Dense, x *gorgonia.Node) *gorgonia.Node {
	in, learns := gorgonia.Nodes{x}, []bool{grad != nil}
	var params []*param
	for _, c := range l.convs() {
		params = append(params, c.params()...)
	}
	for _, p := range params {
		in, learns = append(in, p.node), append(learns, true)
	}
	o := &op{name: name, value: value, learns: learns, run: func() { b.workers.each(l.forward) }}
	o.grads = func(outGrad *gorgonia.Node) (gorgonia.Nodes, error) {
		result := grad
		if grad == nil {
			result = tensorOf(params[0].grad, params[0].shape...)
		}
		back := b.apply(&op{name: name + ".grad", value: result, run: func() { b.backward(l) }}, outGrad)
		grads := gorgonia.Nodes{back}
		for _, p := range params { // back computes them too
			grads = append(grads, b.apply(&op{name: p.node.Name() + ".grad", value: tensorOf(p.grad, p.shape...)}, back))
		}
		return grads, b.err
	}
	return b.apply(o, in...)
}

// backward runs the backward pass of a layer.
func (b *builder) backward(l layer) {
	b.workers.each(l.backward)
	convs := l.convs()
	b.workers.do(len(convs), func(_ *worker, i int) { convs[i].sum() })
}

// pack takes over all weights.
func (b *builder) pack() {
	b.workers.do(2*len(b.convs), func(_ *worker, i int) {
		if c := b.convs[i/2]; i%2 == 0 {
			c.pack()
		} else {
			c.packBackward()
		}
	})
}

// network adds the network that package net defines over x [rows, planes,
// height, width] and returns the logits of its heads, [rows, actions+outcomes
// and ownership planes], and their memory. It is to be differentiated from
// logitGrads on, laid out alike.
func (b *builder) network(w *net.Weights, x *gorgonia.Node, observations, logitGrads []float32) (*gorgonia.Node, []float32) {
	spec := w.Spec
	board := kernel.NewGrid(spec.Height, spec.Width, 3)
	trunk := field{w.Config.Channels, spec.Cells()}
	b.trunkGrad = trunk.make(b.workers.rows)
	shape := []int{b.workers.rows * trunk.cells, trunk.width()}
	grad := tensorOf(b.trunkGrad, shape...)

	s := b.stem(board, observations)
	n, h := b.add("stem", s, tensorOf(s.y, shape...), nil, x), s.y
	for i := range w.Config.Blocks {
		k := b.block(fmt.Sprintf("block.%d.", i), board, h, w.Config.Pool)
		n, h = b.add(fmt.Sprintf("block.%d", i), k, tensorOf(k.y, shape...), grad, n), k.y
	}
	heads := b.heads(spec, h, logitGrads)
	return b.add("heads", heads, tensorOf(heads.logits, b.workers.rows, heads.classes), grad, n), heads.logits
}
