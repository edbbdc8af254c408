package graph

import (
	"fmt"
	"math"
	"slices"

	"tiro/internal/portable"
	"tiro/net"
)

// Optimizer is Adam (Kingma and Ba 2015, "Adam: a method for stochastic optimization", algorithm
// 1) with the decoupled weight decay of Loshchilov and Hutter 2019, "Decoupled weight decay
// regularization", algorithm 2. Gorgonia's own solvers do not expose their state, so that a
// resumed run would differ.
type Optimizer struct {
	Config
	Moments []Moment // decaying means of the gradients, and of their squares

	// Of the current step.
	Rate    float32 // the learning rate, corrected for the bias that the mean has because it starts at 0
	Keep    float32 // factor of the weights from weight decay
	Inverse float32 // corrects the bias of the mean of squares

	steps int
	scale float32
}

// Moment is a number that the optimizer keeps for every weight, in the layout of the weights.
type Moment struct {
	Kind   string
	Values []float32
}

// NewOptimizer returns an optimizer for the given number of weights.
func NewOptimizer(c Config, weights int) *Optimizer {
	o := &Optimizer{Config: c}
	for _, kind := range []string{"mean", "square"} {
		o.Moments = append(o.Moments, Moment{kind, make([]float32, weights)})
	}
	return o
}

// Begin begins a step with a learning rate. Gradients will be multiplied by scale.
func (o *Optimizer) Begin(rate float64, scale float32) {
	o.steps++
	o.scale, o.Keep = scale, float32(1-float64(rate*o.WeightDecay))
	correct := 1 - portable.Pow(o.Beta1, float64(o.steps)) // corrects the bias of mean in the same way
	o.Rate = float32(rate / correct)
	o.Inverse = float32(1 / (1 - portable.Pow(o.Beta2, float64(o.steps))))
}

// move moves the weights starting at index at. Parts of one step may be moved concurrently.
// Without decay, decoupled weight decay is skipped.
func (o *Optimizer) move(at int, value, grad []float32, decay bool) {
	keep := o.Keep
	if !decay {
		keep = 1
	}
	n := len(value)
	grad, mean, square := grad[:n], o.Moments[0].Values[at:][:n], o.Moments[1].Values[at:][:n]
	b1, b2, epsilon, rate, scale, inverse := float32(o.Beta1), float32(o.Beta2), float32(o.Epsilon), o.Rate, o.scale, o.Inverse
	for i, g := range grad {
		g *= scale
		m := float32(b1*mean[i]) + float32((1-b1)*g)
		v := float32(b2*square[i]) + float32((1-b2)*g*g)
		mean[i], square[i] = m, v
		root := float32(math.Sqrt(float64(v * inverse)))
		value[i] = float32(keep*value[i]) - rate*m/(root+epsilon)
	}
}

// stepsName is the tensor of the state with the step count.
const stepsName = "steps"

// stepBase splits a step count into two numbers that 32-bit floats represent exactly.
const stepBase = 1 << 24

// State returns copies of the moments, split into tensors like the ones in like and named
// kind/tensor, and the step count.
func (o *Optimizer) State(like []net.Tensor) []net.Tensor {
	state := []net.Tensor{{
		Name: stepsName, Shape: []int{2},
		Data: []float32{float32(o.steps / stepBase), float32(o.steps % stepBase)},
	}}
	for _, m := range o.Moments {
		rest := m.Values
		for _, t := range like {
			data := slices.Clone(rest[:len(t.Data)])
			rest = rest[len(t.Data):]
			state = append(state, net.Tensor{Name: m.Kind + "/" + t.Name, Shape: slices.Clone(t.Shape), Data: data})
		}
	}
	return state
}

// SetState restores a state that State returned. On error the optimizer is unchanged.
func (o *Optimizer) SetState(state, like []net.Tensor) error {
	byName := make(map[string][]float32, len(state))
	for _, t := range state {
		byName[t.Name] = t.Data
	}
	find := func(name string, n int) ([]float32, error) {
		data, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("graph: optimizer state: tensor %q is missing", name)
		}
		if len(data) != n {
			return nil, fmt.Errorf("graph: optimizer state: tensor %q has %d numbers, not %d", name, len(data), n)
		}
		return data, nil
	}
	steps, err := find(stepsName, 2)
	if err != nil {
		return err
	}
	moments := make([][]float32, len(o.Moments))
	for i, m := range o.Moments {
		for _, t := range like {
			data, err := find(m.Kind+"/"+t.Name, len(t.Data))
			if err != nil {
				return err
			}
			moments[i] = append(moments[i], data...)
		}
	}
	if want := 1 + len(o.Moments)*len(like); len(state) != want {
		return fmt.Errorf("graph: optimizer state: %d tensors, not %d", len(state), want)
	}
	for _, x := range steps {
		if x < 0 || x >= stepBase || x != float32(math.Trunc(float64(x))) {
			return fmt.Errorf("graph: optimizer state: step count is %v but must be whole numbers from 0 to %d", steps, stepBase-1)
		}
	}
	o.steps = int(steps[0])*stepBase + int(steps[1])
	for i := range moments {
		o.Moments[i].Values = moments[i]
	}
	return nil
}

// CheckOptimizerState returns an error unless state is the state of an optimizer for the given
// weights. It needs little memory, unlike a Trainer.
func CheckOptimizerState(weights, state []net.Tensor) error {
	return NewOptimizer(Config{}, 0).SetState(state, weights)
}

// GrowOptimizerState returns the state of an optimizer for weights that have grown from the weights
// small (see net.Weights.GrowFrom), given its state for those. The moments of added weights
// are zero, and steps are counted from zero again, so that Adam corrects the bias of these
// moments. With the old count, added weights would move three to six times as far in the first
// hundred steps. The other weights, whose moments have no such bias, move less for a while. If the
// number of weights is the same, the step count stays.
func GrowOptimizerState(state, small, weights []net.Tensor) ([]net.Tensor, error) {
	before := NewOptimizer(Config{}, 0)
	if err := before.SetState(state, small); err != nil {
		return nil, err
	}
	n := 0
	for _, t := range weights {
		n += len(t.Data)
	}
	grown := NewOptimizer(Config{}, n).State(weights)
	net.Embed(grown, before.State(small))
	if n != len(before.Moments[0].Values) {
		clear(grown[0].Data) // the step count
	}
	return grown, nil
}
