package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// builder builds the Gorgonia graph of a network. err is the first error; after it, nodes are nil
// and nothing more is built.
type builder struct {
	graph *gorgonia.ExprGraph
	err   error
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

// network adds the parameters and layers of a network with observations x, and returns the node
// of its logits. Differentiation starts from the gradient with respect to the logits.
func (b *builder) network(n *network, x *gorgonia.Node) *gorgonia.Node {
	for _, p := range n.params {
		p.node = b.input(p.Name, p.Data, p.Shape...)
	}
	for _, l := range n.layers {
		x = b.layer(n, l, x)
	}
	return x
}

// layer adds a layer that computes its output from x.
func (b *builder) layer(n *network, l layer, x *gorgonia.Node) *gorgonia.Node {
	in, learns := gorgonia.Nodes{x}, []bool{l.grad != nil}
	var params []*param
	for _, c := range l.convs {
		params = append(params, c.params()...)
	}
	for _, p := range params {
		in, learns = append(in, p.node), append(learns, true)
	}
	o := &op{name: l.name, value: tensorOf(l.output, len(l.output)), learns: learns, run: func() { n.forward(l) }}
	o.grads = func(outGrad *gorgonia.Node) (gorgonia.Nodes, error) {
		result := tensorOf(l.grad, len(l.grad))
		if l.grad == nil {
			result = tensorOf(params[0].grad, params[0].Shape...)
		}
		back := b.apply(&op{name: l.name + ".grad", value: result, run: func() { n.backward(l) }}, outGrad)
		grads := gorgonia.Nodes{back}
		for _, p := range params { // the backward pass computes their gradients too
			grads = append(grads, b.apply(&op{name: p.Name + ".grad", value: tensorOf(p.grad, p.Shape...)}, back))
		}
		return grads, b.err
	}
	return b.apply(o, in...)
}
