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
	ranks []int  // of the inputs
	out   *tensor.Dense

	// run computes out from the inputs.
	run func(out []float32, in [][]float32)
	// grad returns for each input the node of its gradient, given the inputs,
	// the output and the output's gradient. An op without it is no place to
	// pass a gradient through.
	grad func(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error)
	// differentiable tells for which inputs grad has a gradient.
	differentiable []bool

	inputs [][]float32
}

// newOp returns an op with memory for an output of that shape.
func newOp(name string, ranks []int, shape ...int) *op {
	return &op{
		name:           name,
		ranks:          ranks,
		out:            tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32)),
		differentiable: make([]bool, len(ranks)),
		inputs:         make([][]float32, len(ranks)),
	}
}

var _ gorgonia.SDOp = (*op)(nil)

// Arity returns the number of inputs.
func (o *op) Arity() int { return len(o.ranks) }

// Type spells out the ranks of inputs and output: a bare type variable would
// give the output the rank of the first input.
func (o *op) Type() hm.Type {
	a := hm.TypeVariable('a')
	types := make([]hm.Type, 0, len(o.ranks)+1)
	for _, rank := range append(append([]int{}, o.ranks...), o.out.Dims()) {
		if rank == 0 {
			types = append(types, a)
		} else {
			types = append(types, gorgonia.TensorType{Dims: rank, Of: a})
		}
	}
	return hm.NewFnType(types...)
}

// InferShape returns the output's shape, which was fixed when the op was made.
func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.out.Shape(), nil }

// Do computes the output.
func (o *op) Do(values ...gorgonia.Value) (gorgonia.Value, error) {
	if len(values) != len(o.inputs) {
		return nil, fmt.Errorf("graph: %s: %d inputs; want %d", o.name, len(values), len(o.inputs))
	}
	for i, v := range values {
		switch data := v.Data().(type) {
		case []float32:
			o.inputs[i] = data
		case float32:
			o.inputs[i] = append(o.inputs[i][:0], data)
		default:
			return nil, fmt.Errorf("graph: %s: input %d is %T; want 32-bit floats", o.name, i, data)
		}
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
func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "tiro %s %v", o.name, o.out.Shape()) }

// Hashcode returns the digest of WriteHash.
func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// String returns the op's name.
func (o *op) String() string { return o.name }

// DiffWRT tells for which inputs there is a gradient.
func (o *op) DiffWRT(int) []bool { return o.differentiable }

// SymDiff returns the nodes of the gradients by each input.
func (o *op) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	if o.grad == nil {
		return nil, fmt.Errorf("graph: %s has no gradient", o.name)
	}
	return o.grad(in, out, grad)
}
