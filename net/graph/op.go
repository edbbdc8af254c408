package graph

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// op is a Gorgonia operator with a result at a fixed place in memory: run finds its inputs where
// their operators wrote them. The machine calls run after the inputs' operators, and run may
// postpone the work until all operators have been called. If the machine managed the results,
// each step would allocate new memory, because the machine drops its registers between runs.
// Nodes must not share an op.
type op struct {
	name  string // unique in the graph: the machine merges nodes of equal hash
	value *tensor.Dense
	run   func() // computes value or registers its pass (network.compute); nil if an input's operator does so

	// grads returns the node of the gradient with respect to each input, given the node of the
	// gradient with respect to the output. There is none for inputs with learns false.
	grads  func(grad *gorgonia.Node) (gorgonia.Nodes, error)
	learns []bool // by input

	ranks []int // ranks of the inputs
}

var _ gorgonia.SDOp = (*op)(nil)

// tensorOf returns a tensor over data.
func tensorOf(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

// The methods of gorgonia.SDOp follow.

func (o *op) Arity() int     { return len(o.ranks) }
func (o *op) String() string { return o.name }

// Type declares the ranks of inputs and output explicitly: a type variable would give the output
// the rank of the first input.
func (o *op) Type() hm.Type {
	a := hm.TypeVariable('a')
	types := make([]hm.Type, 0, len(o.ranks)+1)
	for _, rank := range append(slices.Clone(o.ranks), o.value.Dims()) {
		types = append(types, gorgonia.TensorType{Dims: rank, Of: a})
	}
	return hm.NewFnType(types...)
}

func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.value.Shape(), nil }

func (o *op) Do(...gorgonia.Value) (gorgonia.Value, error) {
	if o.run != nil {
		o.run()
	}
	return o.value, nil
}

func (o *op) ReturnsPtr() bool     { return true }  // the result is used later
func (o *op) CallsExtern() bool    { return false } // the machine need not allocate memory
func (o *op) OverwritesInput() int { return -1 }    // inputs are not modified

func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "tiro %s", o.name) }

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// DiffWRT reports for each input whether there is a gradient.
func (o *op) DiffWRT(inputs int) []bool {
	if o.learns == nil {
		return make([]bool, inputs)
	}
	return o.learns
}

// SymDiff returns the nodes of the gradients with respect to the inputs.
func (o *op) SymDiff(_ gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	if o.grads == nil {
		return nil, fmt.Errorf("graph: %s has no gradient", o.name)
	}
	return o.grads(grad)
}
