package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tiro/env"
	"tiro/net"
	"tiro/net/nettest"
)

// fixed is a parameter whose gradient a test sets.
type fixed struct{ value, grad *tensor.Dense }

func (f fixed) Value() gorgonia.Value         { return f.value }
func (f fixed) Grad() (gorgonia.Value, error) { return f.grad, nil }
func (f fixed) gradient() []float32           { return f.grad.Data().([]float32) }
func (f fixed) numbers() []float32            { return f.value.Data().([]float32) }
func newFixed(seed uint64, shape ...int) fixed {
	f := fixed{
		tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32)),
		tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32)),
	}
	nettest.Fill(f.numbers(), env.NewRand(seed))
	return f
}

// TestSolversEqualGorgonias steps our solvers and Gorgonia's side by side along
// the same gradients, with learning rates that change.
func TestSolversEqualGorgonias(t *testing.T) {
	adam := &Adam{Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-6}
	theirAdam := gorgonia.NewAdamSolver(gorgonia.WithBeta1(0.9), gorgonia.WithBeta2(0.99), gorgonia.WithEps(1e-6))
	momentum := &Momentum{Momentum: 0.8}
	theirMomentum := gorgonia.NewMomentum(gorgonia.WithMomentum(0.8))
	tests := []struct {
		name   string
		ours   solver
		theirs gorgonia.Solver
	}{{"adam", adam, theirAdam}, {"momentum", momentum, theirMomentum}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ours := []gorgonia.ValueGrad{newFixed(1, 3, 4), newFixed(2, 5)}
			theirs := []gorgonia.ValueGrad{newFixed(1, 3, 4), newFixed(2, 5)}
			for step := range 50 {
				rate := 0.1 / float64(1+step/10)
				test.ours.setLearningRate(rate)
				gorgonia.WithLearnRate(rate)(test.theirs)
				for i := range ours {
					rng := env.NewRand(3, uint64(step), uint64(i))
					nettest.Fill(ours[i].(fixed).gradient(), rng)
					copy(theirs[i].(fixed).gradient(), ours[i].(fixed).gradient())
				}
				require.NoError(t, test.ours.Step(ours))
				require.NoError(t, test.theirs.Step(theirs))
				for i := range ours {
					require.InDeltaSlice(t, theirs[i].(fixed).numbers(), ours[i].(fixed).numbers(), 1e-5, "step %d, parameter %d", step, i)
					require.Equal(t, theirs[i].(fixed).gradient(), ours[i].(fixed).gradient(), "gradients are left zero")
				}
			}
		})
	}
}

func TestWeightDecayIsDecoupledAndSparesBiases(t *testing.T) {
	for _, s := range []solver{&Adam{WeightDecay: 0.5, Epsilon: 1e-8}, &Momentum{WeightDecay: 0.5}} {
		weight, bias := newFixed(1, 2, 2), newFixed(2, 3)
		before, biasBefore := newFixed(1, 2, 2), newFixed(2, 3)
		s.setLearningRate(0.1)
		require.NoError(t, s.Step([]gorgonia.ValueGrad{weight, bias}))
		for i, v := range weight.numbers() {
			require.InDelta(t, 0.95*before.numbers()[i], v, 1e-7)
		}
		require.Equal(t, biasBefore.numbers(), bias.numbers())
	}
}

func TestSolverStateIsChecked(t *testing.T) {
	like := []net.Tensor{{Name: "a", Shape: []int{2}, Data: make([]float32, 2)}}
	good := (&Adam{steps: stepBase + 3}).state(like)
	a := &Adam{}
	require.NoError(t, a.setState(good, like))
	require.Equal(t, stepBase+3, a.steps)

	require.ErrorContains(t, (&Momentum{}).setState(good, like), `"velocity/a" is missing; want a state of velocity`)
	require.ErrorContains(t, a.setState(good[:2], like), `"square/a" is missing`)
	require.ErrorContains(t, a.setState(append(good, net.Tensor{Name: "more"}), like), "4 tensors; want 3")
	short := []net.Tensor{good[0], good[1], {Name: "square/a", Data: []float32{1}}}
	require.ErrorContains(t, a.setState(short, like), `"square/a" has 1 numbers; want 2`)
	broken := []net.Tensor{{Name: stepsName, Data: []float32{0, 0.5}}, good[1], good[2]}
	require.ErrorContains(t, a.setState(broken, like), "is no count")
	require.Equal(t, stepBase+3, a.steps, "unchanged by errors")
}
