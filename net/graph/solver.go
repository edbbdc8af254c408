package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gorgonia.org/gorgonia"

	"tiro/net"
)

// Adam and Momentum are solvers of our own because Gorgonia's keep their state
// to themselves: a run resumed through them would not go on as it was.
var (
	_ gorgonia.Solver = (*Adam)(nil)
	_ gorgonia.Solver = (*Momentum)(nil)
)

// Adam is the solver of Kingma and Ba 2015, "Adam: a method for stochastic
// optimization", algorithm 1, with the decoupled weight decay of Loshchilov and
// Hutter 2019, "Decoupled weight decay regularization", algorithm 2. Like
// Gorgonia's own it updates values in place and leaves the gradients zero; the
// same model must be given to every Step.
type Adam struct {
	LearningRate float64
	WeightDecay  float64 // of parameters with two or more dimensions
	Beta1, Beta2 float64
	Epsilon      float64

	steps        int
	mean, square [][]float32 // by parameter, laid out like it
}

// Step moves the parameters of model by one step along their gradients.
func (a *Adam) Step(model []gorgonia.ValueGrad) error {
	params, err := parameters(model)
	if err != nil {
		return err
	}
	if a.mean == nil {
		a.mean, a.square = alike(params), alike(params)
	}
	a.steps++
	b1, b2 := float32(a.Beta1), float32(a.Beta2)
	// Both means start at 0; these factors undo that bias.
	correct1 := float32(1 / (1 - math.Pow(a.Beta1, float64(a.steps))))
	correct2 := float32(1 / (1 - math.Pow(a.Beta2, float64(a.steps))))
	rate, epsilon := float32(a.LearningRate), float32(a.Epsilon)
	for i, p := range params {
		mean, square := a.mean[i][:len(p.value)], a.square[i][:len(p.value)]
		keep := p.keep(a.LearningRate, a.WeightDecay)
		for j, g := range p.grad[:len(p.value)] {
			m := b1*mean[j] + (1-b1)*g
			v := b2*square[j] + (1-b2)*g*g
			mean[j], square[j] = m, v
			root := float32(math.Sqrt(float64(v * correct2)))
			p.value[j] = keep*p.value[j] - rate*(m*correct1)/(root+epsilon)
		}
		clear(p.grad)
	}
	return nil
}

func (a *Adam) setLearningRate(rate float64) { a.LearningRate = rate }

func (a *Adam) state(like []net.Tensor) []net.Tensor {
	return saveState(a.steps, []string{"mean", "square"}, [][][]float32{a.mean, a.square}, like)
}

func (a *Adam) setState(state, like []net.Tensor) error {
	steps, moments, err := loadState(state, []string{"mean", "square"}, like)
	if err != nil {
		return err
	}
	a.steps, a.mean, a.square = steps, moments[0], moments[1]
	return nil
}

// Momentum is gradient descent with momentum (Polyak 1964; in the form
// velocity = momentum*velocity - rate*gradient, value += velocity) and
// decoupled weight decay. Its use is that of Adam.
type Momentum struct {
	LearningRate float64
	WeightDecay  float64 // of parameters with two or more dimensions
	Momentum     float64

	steps    int
	velocity [][]float32 // by parameter, laid out like it
}

// Step moves the parameters of model by one step along their gradients.
func (s *Momentum) Step(model []gorgonia.ValueGrad) error {
	params, err := parameters(model)
	if err != nil {
		return err
	}
	if s.velocity == nil {
		s.velocity = alike(params)
	}
	s.steps++
	rate, momentum := float32(s.LearningRate), float32(s.Momentum)
	for i, p := range params {
		velocity := s.velocity[i][:len(p.value)]
		keep := p.keep(s.LearningRate, s.WeightDecay)
		for j, g := range p.grad[:len(p.value)] {
			velocity[j] = momentum*velocity[j] - rate*g
			p.value[j] = keep*p.value[j] + velocity[j]
		}
		clear(p.grad)
	}
	return nil
}

func (s *Momentum) setLearningRate(rate float64) { s.LearningRate = rate }

func (s *Momentum) state(like []net.Tensor) []net.Tensor {
	return saveState(s.steps, []string{"velocity"}, [][][]float32{s.velocity}, like)
}

func (s *Momentum) setState(state, like []net.Tensor) error {
	steps, moments, err := loadState(state, []string{"velocity"}, like)
	if err != nil {
		return err
	}
	s.steps, s.velocity = steps, moments[0]
	return nil
}

// parameter is the memory of one tensor that is learned.
type parameter struct {
	value, grad []float32
	dims        int
}

// keep returns the share of the value that weight decay leaves.
func (p parameter) keep(rate, decay float64) float32 {
	if p.dims < 2 {
		return 1
	}
	return float32(1 - rate*decay)
}

// parameters returns the memory of a model's values and gradients.
func parameters(model []gorgonia.ValueGrad) ([]parameter, error) {
	params := make([]parameter, len(model))
	for i, m := range model {
		value := m.Value()
		grad, err := m.Grad()
		if err != nil {
			return nil, fmt.Errorf("graph: parameter %d: %w", i, err)
		}
		params[i].dims = value.Shape().Dims()
		var ok1, ok2 bool
		params[i].value, ok1 = value.Data().([]float32)
		params[i].grad, ok2 = grad.Data().([]float32)
		if !ok1 || !ok2 || len(params[i].value) != len(params[i].grad) {
			return nil, fmt.Errorf("graph: parameter %d: value and gradient are %T and %T; want 32-bit floats of one length", i, value.Data(), grad.Data())
		}
	}
	return params, nil
}

// alike returns zeroed memory laid out like params.
func alike(params []parameter) [][]float32 {
	all := make([][]float32, len(params))
	for i, p := range params {
		all[i] = make([]float32, len(p.value))
	}
	return all
}

// stepsName is the tensor of a solver's state that holds the count of steps.
const stepsName = "steps"

// stepBase splits a count of steps into two numbers that 32-bit floats hold
// exactly.
const stepBase = 1 << 24

// saveState returns copies of the moments, each laid out like the tensors of
// like and named kind/tensor, and the step count.
func saveState(steps int, kinds []string, moments [][][]float32, like []net.Tensor) []net.Tensor {
	state := []net.Tensor{{
		Name: stepsName, Shape: []int{2},
		Data: []float32{float32(steps / stepBase), float32(steps % stepBase)},
	}}
	for k, kind := range kinds {
		for i, t := range like {
			data := make([]float32, len(t.Data))
			if moments[k] != nil {
				copy(data, moments[k][i])
			}
			state = append(state, net.Tensor{Name: kind + "/" + t.Name, Shape: slices.Clone(t.Shape), Data: data})
		}
	}
	return state
}

// loadState takes a state apart that saveState made.
func loadState(state []net.Tensor, kinds []string, like []net.Tensor) (steps int, moments [][][]float32, err error) {
	byName := make(map[string]net.Tensor, len(state))
	for _, t := range state {
		byName[t.Name] = t
	}
	find := func(name string, n int) []float32 {
		t, ok := byName[name]
		switch {
		case err != nil:
		case !ok:
			err = fmt.Errorf("graph: solver state: tensor %q is missing; want a state of %s", name, strings.Join(kinds, " and "))
		case len(t.Data) != n:
			err = fmt.Errorf("graph: solver state: tensor %q has %d numbers; want %d", name, len(t.Data), n)
		}
		return slices.Clone(t.Data)
	}
	count := find(stepsName, 2)
	for _, kind := range kinds {
		var moment [][]float32
		for _, t := range like {
			moment = append(moment, find(kind+"/"+t.Name, len(t.Data)))
		}
		moments = append(moments, moment)
	}
	if want := 1 + len(kinds)*len(like); err == nil && len(state) != want {
		err = fmt.Errorf("graph: solver state: %d tensors; want %d", len(state), want)
	}
	if err != nil {
		return 0, nil, err
	}
	for _, x := range count {
		if x < 0 || x >= stepBase || x != float32(math.Trunc(float64(x))) {
			return 0, nil, fmt.Errorf("graph: solver state: step count %v is no count", count)
		}
	}
	return int(count[0])*stepBase + int(count[1]), moments, nil
}
