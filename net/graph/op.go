package graph

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// op is an operator of Gorgonia whose result has a place of its own, fixed when
// the graph is built: run finds its inputs where their operators put them, and
// the machine's part is to call it when they are there. An operator that leaves
// memory to the machine takes fresh memory every step, since the machine drops
// its registers between runs. An op stands at one place of one graph: no two
// nodes may share it.
type op struct {
	name  string // unique in the graph: the machine merges nodes of equal hash
	value *tensor.Dense
	run   func() // computes value; nil if the inputs' operators have done so

	// grads returns for each input the node of its gradient, given that of the
	// output, or nil where learns says that there is none.
	grads  func(grad *gorgonia.Node) (gorgonia.Nodes, error)
	learns []bool // by input

	ranks []int // of the inputs
}

var _ gorgonia.SDOp = (*op)(nil)

// tensorOf returns a tensor over data.
func tensorOf(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

// Arity returns the number of inputs.
func (o *op) Arity() int { return len(o.ranks) }

// Type spells out the ranks of inputs and output: a bare type variable would
// give the output the rank of the first input.
func (o *op) Type() hm.Type {
	a := hm.TypeVariable('a')
	types := make([]hm.Type, 0, len(o.ranks)+1)
	for _, rank := range o.ranks {
		types = append(types, gorgonia.TensorType{Dims: rank, Of: a})
	}
	types = append(types, gorgonia.TensorType{Dims: o.value.Dims(), Of: a})
	return hm.NewFnType(types...)
}

// InferShape returns the output's shape, which was fixed when the op was made.
func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.value.Shape(), nil }

// Do computes the output.
func (o *op) Do(...gorgonia.Value) (gorgonia.Value, error) {
	if o.run != nil {
		o.run()
	}
	return o.value, nil
}

// ReturnsPtr tells the machine that the op returns memory that lives on.
func (o *op) ReturnsPtr() bool { return true }

// CallsExtern tells the machine that it need not set aside memory.
func (o *op) CallsExtern() bool { return false }

// OverwritesInput tells the machine that inputs stay as they are.
func (o *op) OverwritesInput() int { return -1 }

// WriteHash writes what tells the op from others.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "tiro %s", o.name) }

// Hashcode returns the digest of WriteHash.
func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// String returns the op's name.
func (o *op) String() string { return o.name }

// DiffWRT tells which inputs there is a gradient by.
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
