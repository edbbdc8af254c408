package graph

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tiro/env"
	"tiro/net"
	"tiro/net/nettest"
)

// fixed is a Gorgonia parameter whose gradient a test sets.
type fixed struct{ value, grad *tensor.Dense }

func (f fixed) Value() gorgonia.Value         { return f.value }
func (f fixed) Grad() (gorgonia.Value, error) { return f.grad, nil }

// TestOptimizerEqualsGorgonias runs this Adam and Gorgonia's on the same gradients, with changing
// learning rates.
func TestOptimizerEqualsGorgonias(t *testing.T) {
	const weights = 12
	config := Config{Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-6}
	solver := gorgonia.NewAdamSolver(gorgonia.WithBeta1(0.9), gorgonia.WithBeta2(0.99), gorgonia.WithEps(1e-6))
	ours := nettest.Fill(make([]float32, weights), env.NewRand(1))
	theirs := slices.Clone(ours)
	optimizer := NewOptimizer(config, weights)
	for step := range 50 {
		rate := 0.1 / float64(1+step/10)
		grad := nettest.Fill(make([]float32, weights), env.NewRand(3, uint64(step)))
		optimizer.Begin(rate, 0.5)
		optimizer.move(0, ours[:5], grad[:5], true) // in parts
		optimizer.move(5, ours[5:], grad[5:], false)
		for i := range grad {
			grad[i] *= 0.5
		}
		gorgonia.WithLearnRate(rate)(solver)
		require.NoError(t, solver.Step([]gorgonia.ValueGrad{fixed{tensorOf(theirs, weights), tensorOf(grad, weights)}}))
		require.InDeltaSlice(t, theirs, ours, 1e-5, "step %d", step)
	}
}

func TestWeightDecayIsDecoupledAndCanBeLeftOut(t *testing.T) {
	s := NewOptimizer(Config{WeightDecay: 0.5, Epsilon: 1e-8}, 2)
	value := []float32{2, 2}
	s.Begin(0.1, 1)
	s.move(0, value[:1], []float32{0}, true)
	s.move(1, value[1:], []float32{0}, false)
	require.InDeltaSlice(t, []float32{2 * 0.95, 2}, value, 1e-6)
}

func TestOptimizerStateIsChecked(t *testing.T) {
	like := []net.Tensor{{Name: "a", Shape: []int{2}, Data: make([]float32, 2)}}
	adam := func() *Optimizer { return NewOptimizer(Config{}, 2) }
	saved, a := adam(), adam()
	saved.steps = stepBase + 3
	good := saved.State(like)
	require.NoError(t, a.SetState(good, like))
	require.Equal(t, stepBase+3, a.steps)

	require.ErrorContains(t, a.SetState(good[:2], like), `"square/a" is missing`)
	require.ErrorContains(t, a.SetState(append(good, net.Tensor{Name: "more"}), like), "4 tensors")
	short := []net.Tensor{good[0], good[1], {Name: "square/a", Data: []float32{1}}}
	require.ErrorContains(t, a.SetState(short, like), `"square/a" has 1 numbers`)
	broken := []net.Tensor{{Name: stepsName, Data: []float32{0, 0.5}}, good[1], good[2]}
	require.ErrorContains(t, a.SetState(broken, like), "step count is [0 0.5]")
	require.Equal(t, stepBase+3, a.steps, "unchanged by errors")
}

// TestGrownWeightsMoveAsFromTheStart: with constant gradients, each step of Adam has the length
// of the learning rate, including for weights that were added after a thousand steps.
func TestGrownWeightsMoveAsFromTheStart(t *testing.T) {
	config := Config{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	before := []net.Tensor{{Name: "a", Shape: []int{1}, Data: make([]float32, 1)}}
	after := []net.Tensor{{Name: "a", Shape: []int{2}, Data: make([]float32, 2)}}
	old := NewOptimizer(config, 1)
	step := func(o *Optimizer, value []float32) {
		o.Begin(0.1, 1)
		o.move(0, value, []float32{3, 3}[:len(value)], false)
	}
	for range 1000 {
		step(old, before[0].Data)
	}
	grown := NewOptimizer(config, 2)
	state, err := GrowOptimizerState(old.State(before), before, after)
	require.NoError(t, err)
	require.NoError(t, grown.SetState(state, after))
	require.InDelta(t, 3, grown.Moments[0].Values[0], 1e-3, "the moments of the first weight are kept")
	for i := range 100 {
		value := make([]float32, 2)
		step(grown, value)
		require.InDelta(t, -0.1, value[1], 1e-4, "step %d", i)
		require.Less(t, value[0], float32(0))
		require.GreaterOrEqual(t, value[0], float32(-0.1), "step %d", i)
	}

	same, err := GrowOptimizerState(old.State(before), before, before)
	require.NoError(t, err)
	require.Equal(t, old.State(before), same, "nothing has grown")
}
