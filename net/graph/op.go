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

// op is a Gorgonia operator whose result has a fixed place: run finds its inputs where
// their operators put them. The machine calls run in an order in which inputs come first,
// and run may leave the work until all operators have been called. Results in
// memory of the machine would take new memory every step, since the machine drops its
// registers between runs. No two nodes may share an op.
type op struct {
	name  string // unique in the graph: the machine merges nodes of equal hash
	value *tensor.Dense
	run   func() // computes value, or asks for it (network.compute); nil if an operator of the inputs has done so

	// grads returns the node of the gradient by each input, given that of the output.
	// By inputs for which learns is false there is none.
	grads  func(grad *gorgonia.Node) (gorgonia.Nodes, error)
	learns []bool // by input

	ranks []int // of the inputs
}

var _ gorgonia.SDOp = (*op)(nil)

// tensorOf returns a tensor over data.
func tensorOf(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

// The methods of gorgonia.SDOp follow.

func (o *op) Arity() int     { return len(o.ranks) }
func (o *op) String() string { return o.name }

// Type spells out the ranks of inputs and output: a bare type variable would give the
// output the rank of the first input.
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

func (o *op) ReturnsPtr() bool     { return true }  // the result stays in use
func (o *op) CallsExtern() bool    { return false } // the machine need not provide memory
func (o *op) OverwritesInput() int { return -1 }    // no input changes

func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "tiro %s", o.name) }

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// DiffWRT says by which inputs there is a gradient.
func (o *op) DiffWRT(inputs int) []bool {
	if o.learns == nil {
		return make([]bool, inputs)
	}
	return o.learns
}

// SymDiff returns the nodes of the gradients by the inputs.
func (o *op) SymDiff(_ gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	if o.grads == nil {
		return nil, fmt.Errorf("graph: %s has no gradient", o.name)
	}
	return o.grads(grad)
}
