package net

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"tiro/env"
	"tiro/internal/portable"
)

// Tensor is a named array in row-major order.
type Tensor struct {
	Name  string
	Shape []int     // the product of its elements is len(Data); empty for a scalar
	Data  []float32 // may be shared with the tensor's owner
}

// Weights are the learned parameters of a network for one game. They are safe for concurrent
// reading.
type Weights struct {
	Config Config
	Spec   env.Spec // of the network's game

	flat    []float32 // all parameters; the tensors are slices of it
	tensors []Tensor
}

// NewWeights returns the weights of an untrained network. Layers before a ReLU are drawn with
// He's initialisation (He et al. 2015, "Delving deep into rectifiers", eq. 10). The second
// convolution and the pooling of each block start at zero, so that each block starts as the
// identity (Zhang, Dauphin and Ma 2019, "Fixup"). The last layers of the heads start at zero too,
// so that an untrained network returns equal priors and equal outcome probabilities. The
// configuration must be valid.
func NewWeights(spec env.Spec, c Config, rng *rand.Rand) *Weights {
	w := zeroWeights(spec, c)
	for _, t := range w.tensors {
		if startsAtZero(t.Name) {
			continue
		}
		fanIn := len(t.Data) / t.Shape[0]
		deviation := math.Sqrt(2 / float64(fanIn))
		for i := range t.Data {
			t.Data[i] = float32(portable.Normal(rng) * deviation)
		}
	}
	return w
}

func startsAtZero(name string) bool {
	return strings.HasSuffix(name, ".bias") || strings.HasSuffix(name, ".conv2.weight") ||
		strings.HasSuffix(name, ".pool.weight") || name == "policy.weight" || name == "outcome.out.weight" || name == ownershipWeight
}

// The tensors of the ownership head come last, so that the inference network is a contiguous part
// of the memory.
const (
	ownershipWeight = "ownership.weight"
	ownershipBias   = "ownership.bias"
)

// zeroWeights returns the weights of a network with all parameters zero.
func zeroWeights(spec env.Spec, c Config) *Weights {
	w := &Weights{Config: c, Spec: spec, tensors: c.Tensors(spec)}
	w.flat = make([]float32, c.Parameters(spec))
	w.carve()
	return w
}

// Assemble returns weights with copies of tensors, which must be exactly the network's tensors,
// in any order.
func Assemble(spec env.Spec, c Config, tensors []Tensor) (*Weights, error) {
	w, err := assemble(spec, c, tensors)
	if err != nil {
		return nil, fmt.Errorf("net: assemble weights: %w", err)
	}
	return w, nil
}

func assemble(spec env.Spec, c Config, tensors []Tensor) (*Weights, error) {
	if err := match(tensors, c.Tensors(spec)); err != nil {
		return nil, err
	}
	w := zeroWeights(spec, c)
	for _, t := range tensors {
		copy(w.Tensor(t.Name), t.Data)
	}
	return w, nil
}

// carve sets the Data of each tensor to its part of the flat memory.
func (w *Weights) carve() {
	rest := w.flat
	for i := range w.tensors {
		n := size(w.tensors[i].Shape)
		w.tensors[i].Data, rest = rest[:n:n], rest[n:]
	}
}

// Tensors returns the names and shapes of the network's tensors in their fixed order, input
// first, without Data.
func (c Config) Tensors(spec env.Spec) []Tensor {
	var ts []Tensor
	add := func(name string, shape ...int) { ts = append(ts, Tensor{Name: name, Shape: shape}) }
	add("stem.weight", c.Channels, spec.Planes, 3, 3)
	add("stem.bias", c.Channels)
	for i := range c.Blocks {
		block := fmt.Sprintf("block.%d.", i)
		add(block+"conv1.weight", c.Channels, c.Channels, 3, 3)
		add(block+"conv1.bias", c.Channels)
		if c.Pool {
			add(block+"pool.weight", c.Channels, c.Channels)
		}
		add(block+"conv2.weight", c.Channels, c.Channels, 3, 3)
		add(block+"conv2.bias", c.Channels)
	}
	add("policy.weight", spec.PolicyPlanes, c.Channels, 1, 1)
	add("policy.bias", spec.PolicyPlanes)
	add("outcome.conv.weight", c.OutcomeChannels, c.Channels, 1, 1)
	add("outcome.conv.bias", c.OutcomeChannels)
	features := c.OutcomeChannels * spec.Cells()
	if c.Hidden > 0 {
		add("outcome.hidden.weight", c.Hidden, features)
		add("outcome.hidden.bias", c.Hidden)
		features = c.Hidden
	}
	add("outcome.out.weight", spec.Outcomes(), features)
	add("outcome.out.bias", spec.Outcomes())
	if ownership, scores := c.OwnershipPlanes(spec); ownership > 0 {
		add(ownershipWeight, ownership+scores, c.Channels, 1, 1)
		add(ownershipBias, ownership+scores)
	}
	return ts
}

// Parameters returns the number of parameters of the network for a game.
func (c Config) Parameters(spec env.Spec) int {
	n := 0
	for _, t := range c.Tensors(spec) {
		n += size(t.Shape)
	}
	return n
}

// MACs returns the number of multiply-adds per evaluation of the inference network: each weight
// of a convolution counts once per cell of the grid, every other weight once. This is the cost of
// the network's definition. The kernels use fewer multiplications for a convolution, and additional
// ones for padding.
func (c Config) MACs(spec env.Spec) int64 {
	n := 0
	for _, t := range c.Inference().Tensors(spec) {
		switch len(t.Shape) {
		case 4: // a convolution
			n += size(t.Shape) * spec.Cells()
		case 2:
			n += size(t.Shape)
		}
	}
	return int64(n)
}

// size returns the number of elements of a shape.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Tensors returns the tensors in their fixed order, input first. Their Data is the weights' own
// memory.
func (w *Weights) Tensors() []Tensor { return slices.Clone(w.tensors) }

// Tensor returns the data of the tensor with the given name, which is the weights' own memory, or
// nil if the network has no such tensor, such as the pooling of a network without Pool.
func (w *Weights) Tensor(name string) []float32 {
	for i := range w.tensors {
		if w.tensors[i].Name == name {
			return w.tensors[i].Data
		}
	}
	return nil
}

// Flat returns all parameters, tensor after tensor. The slice is the weights' own memory.
func (w *Weights) Flat() []float32 { return w.flat }

// Parameters returns the number of parameters.
func (w *Weights) Parameters() int { return len(w.flat) }

// Inference returns the weights without the ownership head, in the same memory. These are the
// weights for play and for files.
func (w *Weights) Inference() *Weights {
	p := *w
	p.Config = w.Config.Inference()
	p.tensors = p.Config.Tensors(p.Spec)
	n := p.Config.Parameters(p.Spec)
	p.flat = w.flat[:n:n]
	p.carve()
	return &p
}

// Clone returns a copy with its own memory.
func (w *Weights) Clone() *Weights {
	c := &Weights{Config: w.Config, Spec: w.Spec, flat: slices.Clone(w.flat), tensors: slices.Clone(w.tensors)}
	c.carve()
	return c
}
