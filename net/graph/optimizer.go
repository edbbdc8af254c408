package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tiro/memory"
	"tiro/net"
)

// optimizer moves weights along gradients. The optimizers are our own because
// Gorgonia's keep their state to themselves: a run resumed through them would
// not go on as it was.
type optimizer interface {
	// begin begins a step of that learning rate; gradients are to be multiplied
	// by scale.
	begin(rate float64, scale float32)
	// move moves the weights from place at on. Parts of one step may be moved
	// at the same time. Decoupled weight decay is left out where decay is
	// false.
	move(at int, value, grad []float32, decay bool)

	state(like []net.Tensor) []net.Tensor
	setState(state, like []net.Tensor) error
}

// newOptimizer returns the optimizer of a configuration for that many weights.
func newOptimizer(a *memory.Allocator, c Config, weights int) optimizer {
	buffer := func(name string) []float32 { return memory.Make[float32](a, name, weights) }
	if c.Kind == "adam" {
		return &adam{Config: c, mean: buffer("mean"), square: buffer("square")}
	}
	return &momentum{Config: c, velocity: buffer("velocity")}
}

// adam is the optimizer of Kingma and Ba 2015, "Adam: a method for stochastic
// optimization", algorithm 1, with the decoupled weight decay of Loshchilov and
// Hutter 2019, "Decoupled weight decay regularization", algorithm 2.
type adam struct {
	Config
	steps        int
	mean, square []float32 // of the gradients, laid out like the weights

	rate, scale float32 // of the step under way
	keep        float32 // what weight decay leaves
	inverse     float32 // undoes the bias that square has from starting at 0
}

func (a *adam) begin(rate float64, scale float32) {
	a.steps++
	correct := 1 - math.Pow(a.Beta1, float64(a.steps)) // likewise of mean
	a.rate, a.scale = float32(rate/correct), scale
	a.keep = float32(1 - rate*a.WeightDecay)
	a.inverse = float32(1 / (1 - math.Pow(a.Beta2, float64(a.steps))))
}

func (a *adam) move(at int, value, grad []float32, decay bool) {
	grad, mean, square := grad[:len(value)], a.mean[at:][:len(value)], a.square[at:][:len(value)]
	b1, b2, epsilon, rate, inverse, keep := float32(a.Beta1), float32(a.Beta2), float32(a.Epsilon), a.rate, a.inverse, a.keep
	if !decay {
		keep = 1
	}
	for i, g := range grad {
		g *= a.scale
		m := b1*mean[i] + (1-b1)*g
		v := b2*square[i] + (1-b2)*g*g
		mean[i], square[i] = m, v
		root := float32(math.Sqrt(float64(v * inverse)))
		value[i] = keep*value[i] - rate*m/(root+epsilon)
	}
}

func (a *adam) state(like []net.Tensor) []net.Tensor {
	return saveState(a.steps, []string{"mean", "square"}, [][]float32{a.mean, a.square}, like)
}

func (a *adam) setState(state, like []net.Tensor) error {
	steps, moments, err := loadState(state, []string{"mean", "square"}, like)
	if err != nil {
		return err
	}
	a.steps, a.mean, a.square = steps, moments[0], moments[1]
	return nil
}

// momentum is gradient descent with momentum (Polyak 1964; in the form
// velocity = momentum*velocity - rate*gradient, value += velocity) and
// decoupled weight decay.
type momentum struct {
	Config
	steps    int
	velocity []float32 // laid out like the weights

	rate, scale, keep float32 // of the step under way
}

func (m *momentum) begin(rate float64, scale float32) {
	m.steps++
	m.rate, m.scale, m.keep = float32(rate), scale, float32(1-rate*m.WeightDecay)
}

func (m *momentum) move(at int, value, grad []float32, decay bool) {
	grad, velocity := grad[:len(value)], m.velocity[at:][:len(value)]
	share, rate, keep := float32(m.Momentum), m.rate*m.scale, m.keep
	if !decay {
		keep = 1
	}
	for i, g := range grad {
		v := share*velocity[i] - rate*g
		velocity[i] = v
		value[i] = keep*value[i] + v
	}
}

func (m *momentum) state(like []net.Tensor) []net.Tensor {
	return saveState(m.steps, []string{"velocity"}, [][]float32{m.velocity}, like)
}

func (m *momentum) setState(state, like []net.Tensor) error {
	steps, moments, err := loadState(state, []string{"velocity"}, like)
	if err != nil {
		return err
	}
	m.steps, m.velocity = steps, moments[0]
	return nil
}

// stepsName is the tensor of an optimizer's state that holds the count of steps.
const stepsName = "steps"

// stepBase splits a count of steps into two numbers that 32-bit floats hold
// exactly.
const stepBase = 1 << 24

// saveState returns copies of the moments, cut into tensors like those of like
// and named kind/tensor, and the step count.
func saveState(steps int, kinds []string, moments [][]float32, like []net.Tensor) []net.Tensor {
	state := []net.Tensor{{
		Name: stepsName, Shape: []int{2},
		Data: []float32{float32(steps / stepBase), float32(steps % stepBase)},
	}}
	for k, kind := range kinds {
		rest := moments[k]
		for _, t := range like {
			data := slices.Clone(rest[:len(t.Data)])
			rest = rest[len(t.Data):]
			state = append(state, net.Tensor{Name: kind + "/" + t.Name, Shape: slices.Clone(t.Shape), Data: data})
		}
	}
	return state
}

// loadState takes a state apart that saveState made.
func loadState(state []net.Tensor, kinds []string, like []net.Tensor) (steps int, moments [][]float32, err error) {
	byName := make(map[string]net.Tensor, len(state))
	for _, t := range state {
		byName[t.Name] = t
	}
	find := func(name string, n int) []float32 {
		t, ok := byName[name]
		switch {
		case err != nil:
		case !ok:
			err = fmt.Errorf("graph: optimizer state: tensor %q is missing; want a state of %s", name, strings.Join(kinds, " and "))
		case len(t.Data) != n:
			err = fmt.Errorf("graph: optimizer state: tensor %q has %d numbers; want %d", name, len(t.Data), n)
		}
		return t.Data
	}
	count := find(stepsName, 2)
	for _, kind := range kinds {
		var moment []float32
		for _, t := range like {
			moment = append(moment, find(kind+"/"+t.Name, len(t.Data))...)
		}
		moments = append(moments, moment)
	}
	if want := 1 + len(kinds)*len(like); err == nil && len(state) != want {
		err = fmt.Errorf("graph: optimizer state: %d tensors; want %d", len(state), want)
	}
	if err != nil {
		return 0, nil, err
	}
	for _, x := range count {
		if x < 0 || x >= stepBase || x != float32(math.Trunc(float64(x))) {
			return 0, nil, fmt.Errorf("graph: optimizer state: step count %v is no count", count)
		}
	}
	return int(count[0])*stepBase + int(count[1]), moments, nil
}

// CheckOptimizerState returns an error unless state is one of an optimizer as c wants
// it for weights like these. It takes no memory for a batch, as a Trainer does.
func CheckOptimizerState(c Config, weights, state []net.Tensor) error {
	return newOptimizer(new(memory.Allocator), c, 0).setState(state, weights)
}
