package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
)

// network is a network laid out for learning from batches: its parameters and its
// layers, each with memory for activations and gradients.
type network struct {
	workers *workerPool
	params  []*param // in the order of the weights' tensors
	layers  []layer  // input first
	convs   []*conv  // all of the layers

	// The gradient by the trunk. The whole network has one place for it: each
	// layer replaces what it has read.
	trunkGrad []float32
	classes   int       // logits of a row: actions, outcomes, ownership planes
	logits    []float32 // of the last run, [rows, classes]
	grads     []float32 // of the last run, laid out like the weights
}

// param is a tensor of the network and the gradient by it.
type param struct {
	net.Tensor
	grad []float32
	node *gorgonia.Node
}

// layer is a part of the network that is one operator forward and one backward.
type layer struct {
	name   string
	pass   pass
	convs  []*conv
	output []float32
	grad   []float32 // where the backward pass leaves the gradient by the input; nil if it computes none
}

// pass computes a layer. Backward, a layer on the trunk reads the gradient by its
// output, before the output was rectified, and replaces it with that by its input,
// before that was rectified: so no pass is spent on rectifiers.
type pass interface {
	forward(w *worker, s shard)
	backward(w *worker, s shard)
}

// newNetwork lays out the network that package net defines, for batches with observations x
// [rows, planes, height, width]. The backward pass starts from logitGrads [rows, classes].
func newNetwork(workers *workerPool, spec env.Spec, c net.Config, tensors []net.Tensor, x, logitGrads []float32) *network {
	n := &network{workers: workers, classes: classes(spec, c), grads: make([]float32, c.Parameters(spec))}
	rest := n.grads
	for _, t := range tensors {
		p := &param{Tensor: t, grad: rest[:len(t.Data):len(t.Data)]}
		n.params, rest = append(n.params, p), rest[len(t.Data):]
	}
	board := kernel.NewGrid(spec.Height, spec.Width, 3)
	n.trunkGrad = layout{c.Channels, spec.Cells()}.make(workers.rows)
	s := n.stem(board, x)
	n.layers = append(n.layers, layer{"stem", s, []*conv{s.conv}, s.y, nil})
	h := s.y
	for i := range c.Blocks {
		name := fmt.Sprintf("block.%d", i)
		b := n.block(name+".", board, h, c.Pool)
		n.layers, h = append(n.layers, layer{name, b, b.convs(), b.y, n.trunkGrad}), b.y
	}
	l := n.heads(spec, h, logitGrads)
	n.layers, n.logits = append(n.layers, layer{"heads", l, l.convs(), l.logits, n.trunkGrad}), l.logits
	return n
}

// classes returns how many logits a row has.
func classes(spec env.Spec, c net.Config) int {
	ownership, score := c.OwnershipPlanes(spec)
	return spec.Actions() + spec.Outcomes() + (ownership+score)*spec.Cells()
}

// param returns the tensor of that name, or nil.
func (n *network) param(name string) *param {
	for _, p := range n.params {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// pack takes over all weights.
func (n *network) pack() {
	n.workers.do(2*len(n.convs), func(_ *worker, i int) {
		if c := n.convs[i/2]; i%2 == 0 {
			c.pack()
		} else {
			c.packBackward()
		}
	})
}

// backward runs the backward pass of a layer and adds up what the shards have learned.
func (n *network) backward(l layer) {
	n.workers.each(l.pass.backward)
	n.workers.do(len(l.convs), func(_ *worker, i int) { l.convs[i].sum() })
}
