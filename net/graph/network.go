package graph

import (
	"cmp"
	"fmt"
	"slices"

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

	classes int       // logits of a row: actions, outcomes, ownership planes
	logits  []float32 // of the last run, [rows, classes]
	grads   []float32 // of the last run, laid out like the weights

	// The work that the operators of the graph have asked for in this run.
	steps  []step
	learns []*conv // of the steps
	sums   []panel // of these
}

// step is a pass over the batch, and the convolutions whose gradients by parameters can be
// computed after it.
type step struct {
	pass  func(w *worker, v window)
	convs []*conv
}

// panel is a panel of the outputs of a convolution.
type panel struct {
	*conv
	number int
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

// pass computes a layer for the rows of a window. Backward, a layer on the trunk reads the
// gradient by its output, before the output was rectified, and computes that by its input,
// before that was rectified: so no pass is spent on rectifiers.
type pass interface {
	forward(w *worker, v window)
	backward(w *worker, v window)
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
	s := n.stem(board, x)
	n.layers = append(n.layers, layer{"stem", s, []*conv{s.conv}, s.y, nil})
	h, byH := s.y, s.d
	for i := range c.Blocks {
		name := fmt.Sprintf("block.%d", i)
		b := n.block(name+".", board, h, byH, c.Pool)
		n.layers = append(n.layers, layer{name, b, b.convs(), b.y, byH})
		h, byH = b.y, b.second.d
	}
	l := n.heads(spec, h, byH, logitGrads)
	n.layers, n.logits = append(n.layers, layer{"heads", l, l.convs(), l.logits, byH}), l.logits
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

// forward asks for the forward pass of a layer.
func (n *network) forward(l layer) { n.steps = append(n.steps, step{pass: l.pass.forward}) }

// backward asks for the backward pass of a layer and the gradient by its parameters.
func (n *network) backward(l layer) {
	n.steps = append(n.steps, step{l.pass.backward, l.convs})
	n.learns = append(n.learns, l.convs...)
}

// compute does the work of the operators. Each unit goes through all steps on its
// own, so that no thread waits for others between layers.
func (n *network) compute() {
	p := n.workers
	p.do(len(p.units), func(w *worker, i int) {
		for _, s := range n.steps {
			for _, v := range p.units[i] {
				s.pass(w, v)
				if p.whole { // while the cache holds the results of the pass
					for _, c := range s.convs {
						c.learn(w, v.shard)
					}
				}
			}
		}
	})
	if !p.whole {
		slices.SortStableFunc(n.learns, func(a, b *conv) int { return cmp.Compare(b.work(), a.work()) }) // the longest first
		p.do(len(n.learns)*p.shards(), func(w *worker, i int) { n.learns[i/p.shards()].learn(w, p.shard(i%p.shards())) })
	}
	n.sums = n.sums[:0]
	for _, c := range n.learns {
		for i := range c.shards[0].Panels() {
			n.sums = append(n.sums, panel{c, i})
		}
	}
	p.do(len(n.sums), func(_ *worker, i int) { n.sums[i].sum(n.sums[i].number) })
}
