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

// network is a network for learning from batches: its parameters and its layers, with memory for
// activations and gradients.
type network struct {
	workers *workerPool
	params  []*param // in the order of the weights' tensors
	layers  []layer  // input first
	convs   []*conv  // convolutions of all layers

	classes int       // logits per row: actions, outcomes, ownership planes
	logits  []float32 // of the last run, [rows, classes]
	grads   []float32 // of the last run, laid out like the weights

	// The passes that the graph's operators have registered in this run.
	steps  []step
	learns []*conv // convolutions of the steps
	sums   []panel // panels of the convolutions in learns
}

// step is a pass over the batch, and the convolutions whose parameters' gradients can be computed
// after it.
type step struct {
	pass  func(w *worker, v window)
	convs []*conv
}

// panel is a panel of the outputs of a convolution.
type panel struct {
	*conv
	number int
}

// param is a tensor of the network and its gradient.
type param struct {
	net.Tensor
	grad []float32
	node *gorgonia.Node
}

// layer is a part of the network that has one operator for each direction.
type layer struct {
	name   string
	pass   pass
	convs  []*conv
	output []float32
	grad   []float32 // gradient with respect to the input, which the backward pass writes; nil if it computes none
}

// pass computes a layer for the rows of a window. The backward pass of a layer on the trunk reads
// the gradient with respect to its output before the output's ReLU, and writes the gradient with
// respect to its input before the input's ReLU, so that ReLUs need no separate pass.
type pass interface {
	forward(w *worker, v window)
	backward(w *worker, v window)
}

// newNetwork returns the network that package net defines, for batches with observations x [rows,
// planes, height, width]. The backward pass starts from logitGrads [rows, classes].
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

// classes returns the number of logits per row.
func classes(spec env.Spec, c net.Config) int {
	ownership, score := c.OwnershipPlanes(spec)
	return spec.Actions() + spec.Outcomes() + (ownership+score)*spec.Cells()
}

// param returns the parameter with the given name, or nil.
func (n *network) param(name string) *param {
	for _, p := range n.params {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// pack packs all weights.
func (n *network) pack() {
	n.workers.do(2*len(n.convs), func(_ *worker, i int) {
		if c := n.convs[i/2]; i%2 == 0 {
			c.pack()
		} else {
			c.backward.Weights.PackTransposed(c.weight.Data)
		}
	})
}

// forward registers the forward pass of a layer.
func (n *network) forward(l layer) { n.steps = append(n.steps, step{pass: l.pass.forward}) }

// backward registers the backward pass of a layer and the gradient of its parameters.
func (n *network) backward(l layer) {
	n.steps = append(n.steps, step{l.pass.backward, l.convs})
	n.learns = append(n.learns, l.convs...)
}

// compute runs the registered passes. Each unit passes through all steps independently, so that
// threads do not wait for each other between layers.
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
