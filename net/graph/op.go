package graph

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// op is an operator of Gorgonia that computes into memory of its own. The tape
// machine drops its registers between runs, so that an operator that leaves
// allocation to the machine takes fresh memory every step; one that returns its
// own takes none. An op stands at one place of one graph: no two nodes may share
// it, and its output is good until the graph runs again.
type op struct {
	name  string // unique in the graph: the machine merges nodes of equal hash
	shape tensor.Shape
	ranks []int // of the inputs

	// run computes out from the inputs.
	run func(out []float32, in [][]float32)
	// grads returns for each input the node of its gradient, given the inputs,
	// the output and the output's gradient, or nil where there is none. An op
	// without it passes no gradient on.
	grads func(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error)

	out    *tensor.Dense // made by the first Do
	inputs [][]float32
}

var _ gorgonia.SDOp = (*op)(nil)

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
	types = append(types, gorgonia.TensorType{Dims: o.shape.Dims(), Of: a})
	return hm.NewFnType(types...)
}

// InferShape returns the output's shape, which was fixed when the op was made.
func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.shape, nil }

// Do computes the output.
func (o *op) Do(values ...gorgonia.Value) (gorgonia.Value, error) {
	if o.out == nil {
		o.out = tensor.New(tensor.WithShape(o.shape...), tensor.Of(tensor.Float32))
	}
	o.inputs = o.inputs[:0]
	for i, v := range values {
		data, ok := v.Data().([]float32)
		if !ok {
			return nil, fmt.Errorf("graph: %s: input %d is %T; want 32-bit floats", o.name, i, v.Data())
		}
		o.inputs = append(o.inputs, data)
	}
	o.run(o.out.Data().([]float32), o.inputs)
	return o.out, nil
}

// ReturnsPtr tells the machine that the op returns memory that lives on.
func (o *op) ReturnsPtr() bool { return true }

// CallsExtern tells the machine that it need not set aside memory.
func (o *op) CallsExtern() bool { return false }

// OverwritesInput tells the machine that inputs stay as they are.
func (o *op) OverwritesInput() int { return -1 }

// WriteHash writes what tells the op from others.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "tiro %s %v", o.name, o.shape) }

// Hashcode returns the digest of WriteHash.
func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// String returns the op's name.
func (o *op) String() string { return o.name }

// DiffWRT tells that there is a gradient by every input, or by none.
func (o *op) DiffWRT(inputs int) []bool {
	all := make([]bool, inputs)
	for i := range all {
		all[i] = o.grads != nil
	}
	return all
}

// SymDiff returns the nodes of the gradients by each input.
func (o *op) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	if o.grads == nil {
		return nil, fmt.Errorf("graph: %s has no gradient", o.name)
	}
	return o.grads(in, out, grad)
}
