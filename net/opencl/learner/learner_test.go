package learner

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/kernel"
	"tiro/net/nettest"
	"tiro/net/opencl"
	"tiro/net/opencl/cl"
	"tiro/net/opencl/cltest"
)

// The networks have every branch on and off, sizes around the multiples of the kernels, and tiles
// that extend beyond the board. They need programs for two sizes of tiles only.
var shapes = []struct {
	name   string
	spec   env.Spec
	config net.Config
}{
	{"full", nettest.Spec(3, [3]int{2, 3, 4}, 3), net.Config{Channels: 4, Blocks: 2, Pool: true, OutcomeChannels: 2, Hidden: 5}},
	{"plain", nettest.Spec(2, [3]int{3, 4, 3}, 2), net.Config{Channels: 17, Blocks: 1, OutcomeChannels: 2}},
	{"wide", nettest.Spec(2, [3]int{20, 6, 5}, 2), net.Config{Channels: 80, Blocks: 1, Pool: true, OutcomeChannels: 18, Hidden: 20}},
	{"ownership", nettest.Spec(3, [3]int{2, 3, 4}, 3), net.Config{Channels: 16, Blocks: 1, OutcomeChannels: 2, Ownership: true}},
	{"stem", nettest.Spec(4, [3]int{2, 1, 4}, 2), net.Config{Channels: 5, OutcomeChannels: 1, Hidden: 3, Ownership: true}},
}

const rows = 37

// cache is the folder of the built kernels. The test's run shares it.
var cache = sync.OnceValue(func() string { return filepath.Join(os.TempDir(), fmt.Sprintf("tiro-learner-test-%d", os.Getpid())) })

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(cache())
	os.Exit(code)
}

// open opens the test's device as if it were of the given kind.
func open(t *testing.T, kind cl.Kind) *cl.Context {
	ctx, err := cltest.Device(t).Open(cache())
	require.NoError(t, err)
	t.Cleanup(ctx.Close)
	ctx.Device.Kind = kind
	return ctx
}

func trainerOf(t *testing.T, ctx *cl.Context, w *net.Weights, c graph.Config) *Trainer {
	k := kindOf(&ctx.Device)
	k.chunk = 70_000 // divides some shapes into chunks of several sizes
	trainer, err := newTrainer(ctx, w, c, Options{Rows: rows}, k)
	require.NoError(t, err)
	t.Cleanup(trainer.Close)
	return trainer
}

// fill fills a batch with random rows. Some actions are illegal, some rows have no weight, no policy
// target, no owners or no scores, and some errors of scores are above 1.
func fill(b *graph.Batch, spec env.Spec, rng *rand.Rand) {
	nettest.Fill(b.X, rng)
	random := func(row []float32) {
		sum := float32(0)
		for i := range row {
			row[i] = -1
			if rng.IntN(3) > 0 || i == 0 {
				row[i] = rng.Float32()
				sum += row[i]
			}
		}
		for i := range row {
			if row[i] > 0 {
				row[i] /= sum
			}
		}
	}
	for r := range b.Weight {
		b.Weight[r] = float32(r % 3)
		random(b.Policy[r*spec.Actions():][:spec.Actions()])
		random(b.Outcome[r*spec.Outcomes():][:spec.Outcomes()])
	}
	for i := range spec.Actions() {
		b.Policy[spec.Actions()+i] = -1
	}
	for i := range b.Ownership {
		b.Ownership[i] = int8(rng.IntN(spec.OwnershipClasses+1) - 1)
		if i/spec.Cells() == 1 {
			b.Ownership[i] = env.NoOwnership
		}
	}
	for i := range b.Score {
		b.Score[i] = 4*rng.Float32() - 2
		if i/spec.Players == 2 {
			b.Score[i] = float32(math.NaN())
		}
	}
}

// forEachKind runs a test with the kernels for each kind of devices.
func forEachKind(t *testing.T, f func(t *testing.T, ctx *cl.Context)) {
	for _, kind := range []cl.Kind{cl.CPU, cl.GPU} {
		t.Run(kind.String(), func(t *testing.T) {
			if kind == cl.GPU && testing.Short() {
				t.Skip("compiling takes long")
			}
			f(t, open(t, kind))
		})
	}
}

// TestGradients compares the losses and the gradient of every weight with the graph's. The mean of
// an optimizer without momentum is the gradient.
func TestGradients(t *testing.T) {
	forEachKind(t, func(t *testing.T, ctx *cl.Context) {
		for _, shape := range shapes {
			t.Run(shape.name, func(t *testing.T) {
				c := graph.Default()
				c.Beta1, c.ClipNorm, c.OutcomeWeight, c.OwnershipWeight, c.ScoreWeight = 0, 0, 0.7, 0.6, 0.5
				w := nettest.Weights(shape.spec, shape.config, env.NewRand(1))
				reference, err := graph.New(w.Clone(), c, graph.Options{Backend: kernel.Best(), Rows: rows})
				require.NoError(t, err)
				fill(reference.Batch(), shape.spec, env.NewRand(2))
				trainer := trainerOf(t, ctx, w, c)
				fill(trainer.Batch(), shape.spec, env.NewRand(2))

				want, err := reference.Measure()
				require.NoError(t, err)
				got, err := trainer.Measure()
				require.NoError(t, err)
				requireLoss(t, want, got)

				fill(trainer.Batch(), shape.spec, env.NewRand(2))
				want, err = reference.Step(0.01)
				require.NoError(t, err)
				got, err = trainer.Step(0.01, nil)
				require.NoError(t, err)
				requireLoss(t, want, got)
				require.NoError(t, trainer.Sync())
				requireTensors(t, reference.OptimizerState(), trainer.OptimizerState(), 2e-5)
			})
		}
	})
}

// TestGradientsAreSlopes compares the gradient with the slope of the loss of the network in double
// precision along random directions in the space of all weights.
func TestGradientsAreSlopes(t *testing.T) {
	forEachKind(t, func(t *testing.T, ctx *cl.Context) {
		shape := shapes[0]
		c := graph.Default()
		c.Beta1, c.ClipNorm = 0, 0
		w := nettest.Weights(shape.spec, shape.config, env.NewRand(1))
		start := w.Clone()
		trainer := trainerOf(t, ctx, w, c)
		fill(trainer.Batch(), shape.spec, env.NewRand(2))
		_, err := trainer.Step(0.01, nil)
		require.NoError(t, err)
		require.NoError(t, trainer.Sync())
		for i := range 3 {
			rng, slope := env.NewRand(5, uint64(i)), 0.0
			ahead, behind := nettest.New(start), nettest.New(start)
			const h = 1e-5
			for j, tensor := range start.Tensors() {
				grad := trainer.OptimizerState()[1+j] // after the number of steps
				require.Equal(t, "mean/"+tensor.Name, grad.Name)
				for e, g := range grad.Data {
					direction := rng.Float64()*2 - 1
					slope += direction * float64(g)
					ahead.Params[tensor.Name][e] += h * direction
					behind.Params[tensor.Name][e] -= h * direction
				}
			}
			want := (objective(ahead, trainer.Batch()) - objective(behind, trainer.Batch())) / (2 * h)
			require.InDelta(t, want, slope, 5e-5*(1+math.Abs(want)))
		}
	})
}

// objective is the mean loss of policy and outcome.
func objective(n *nettest.Reference, b *graph.Batch) float64 {
	loss, total := 0.0, 0.0
	for r, weight := range b.Weight {
		policy, outcome := n.Run(b.X[r*n.Spec.Inputs():][:n.Spec.Inputs()])
		loss += float64(weight) * (nettest.CrossEntropy(policy, b.Policy[r*len(policy):]) + nettest.CrossEntropy(outcome, b.Outcome[r*len(outcome):]))
		total += float64(weight)
	}
	return loss / total
}

func requireLoss(t *testing.T, want, got graph.Loss) {
	for _, x := range [][2]float64{
		{want.Policy, got.Policy},
		{want.PolicyEntropy, got.PolicyEntropy},
		{want.Outcome, got.Outcome},
		{want.Ownership, got.Ownership},
		{want.Score, got.Score},
		{want.GradNorm, got.GradNorm},
	} {
		require.InDelta(t, x[0], x[1], 1e-5*(1+math.Abs(x[0])), "%+v %+v", want, got)
	}
}

func requireTensors(t *testing.T, want, got []net.Tensor, tolerance float64) {
	require.Len(t, got, len(want))
	for i, tensor := range want {
		require.Equal(t, tensor.Name, got[i].Name)
		for j, x := range tensor.Data {
			require.InDelta(t, x, got[i].Data[j], tolerance*(1+math.Abs(float64(x))), "%s element %d", tensor.Name, j)
		}
	}
}

// learn runs steps on batches that depend on the number of the step, and averages the weights.
func learn(t *testing.T, trainer *Trainer, mean *net.Weights, from, to int) (losses []graph.Loss) {
	spec := trainer.weights.Spec
	fill(trainer.Batch(), spec, env.NewRand(3, uint64(from)))
	for step := from; step < to; step++ {
		var next func()
		if step+1 < to {
			next = func() { fill(trainer.Batch(), spec, env.NewRand(3, uint64(step+1))) }
		}
		loss, err := trainer.Step(0.01/float64(1+step), next)
		require.NoError(t, err)
		require.NoError(t, trainer.Average(mean, 0.25))
		losses = append(losses, loss)
	}
	require.NoError(t, trainer.Sync())
	return losses
}

func TestStepsEqualTheGraphs(t *testing.T) {
	forEachKind(t, func(t *testing.T, ctx *cl.Context) {
		for _, shape := range shapes {
			t.Run(shape.name, func(t *testing.T) {
				c := graph.Default()
				c.ClipNorm, c.Epsilon = 0.5, 1e-3 // a small epsilon amplifies differences of small gradients
				w := nettest.Weights(shape.spec, shape.config, env.NewRand(1))
				want, mean := w.Clone(), w.Inference().Clone()
				reference, err := graph.New(want, c, graph.Options{Backend: kernel.Best(), Rows: rows})
				require.NoError(t, err)
				losses := learn(t, trainerOf(t, ctx, w, c), mean, 0, 6)
				wantMean := want.Inference().Clone()
				for step, got := range losses {
					fill(reference.Batch(), shape.spec, env.NewRand(3, uint64(step)))
					loss, err := reference.Step(0.01 / float64(1+step))
					require.NoError(t, err)
					requireLoss(t, loss, got)
					for i, x := range want.Inference().Flat() {
						wantMean.Flat()[i] += 0.25 * (x - wantMean.Flat()[i])
					}
				}
				requireTensors(t, want.Tensors(), w.Tensors(), 1e-4)
				requireTensors(t, wantMean.Tensors(), mean.Tensors(), 1e-4)
			})
		}
	})
}

func TestResumesBitByBit(t *testing.T) {
	forEachKind(t, func(t *testing.T, ctx *cl.Context) {
		shape := shapes[0]
		start := func() (w, mean *net.Weights) {
			w = nettest.Weights(shape.spec, shape.config, env.NewRand(1))
			return w, w.Inference().Clone()
		}
		w, mean := start()
		unbroken := trainerOf(t, ctx, w, graph.Default())
		learn(t, unbroken, mean, 0, 8)

		resumed, resumedMean := start()
		first := trainerOf(t, ctx, resumed, graph.Default())
		learn(t, first, resumedMean, 0, 3)
		resumed, resumedMean = resumed.Clone(), resumedMean.Clone()
		second := trainerOf(t, open(t, ctx.Device.Kind), resumed, graph.Default())
		require.NoError(t, second.SetOptimizerState(first.OptimizerState()))
		learn(t, second, resumedMean, 3, 8)
		require.Equal(t, w.Flat(), resumed.Flat())
		require.Equal(t, mean.Flat(), resumedMean.Flat())
		require.Equal(t, unbroken.OptimizerState(), second.OptimizerState())
		require.Equal(t, []float32{0, 8}, second.OptimizerState()[0].Data)
	})
}

// TestAStepThatIsNotFiniteChangesNothing: the device itself must refuse it, because the next batch
// is prepared meanwhile.
func TestAStepThatIsNotFiniteChangesNothing(t *testing.T) {
	forEachKind(t, func(t *testing.T, ctx *cl.Context) {
		shape := shapes[0]
		w := nettest.Weights(shape.spec, shape.config, env.NewRand(1))
		trainer, mean := trainerOf(t, ctx, w, graph.Default()), w.Clone()
		learn(t, trainer, mean, 0, 2)
		before, state := w.Clone(), trainer.OptimizerState()
		for name, spoil := range map[string]func(b *graph.Batch){
			"observation": func(b *graph.Batch) { b.X[5*shape.spec.Inputs()] = float32(math.NaN()) },
			"target":      func(b *graph.Batch) { b.Policy[5*shape.spec.Actions()] = 3e38 },
			"weight":      func(b *graph.Batch) { b.Weight[5] = -1 },
		} {
			fill(trainer.Batch(), shape.spec, env.NewRand(4))
			spoil(trainer.Batch())
			_, err := trainer.Step(0.01, nil)
			require.Error(t, err, name)
			require.NoError(t, trainer.Sync())
			require.Equal(t, before.Flat(), w.Flat(), name)
			require.Equal(t, state, trainer.OptimizerState(), name)
		}
		learn(t, trainer, mean, 2, 3)
	})
}

func TestRefusals(t *testing.T) {
	ctx := open(t, cl.CPU)
	w := net.NewWeights(shapes[0].spec, shapes[0].config, env.NewRand(1))
	for _, rows := range []int{0, -1, 1 << 30} {
		_, err := New(ctx, w, graph.Default(), Options{Rows: rows})
		require.ErrorContains(t, err, fmt.Sprint(rows))
		if rows > 0 {
			require.ErrorIs(t, err, cl.ErrMemory)
		}
	}
	_, err := New(ctx, w, graph.Config{}, Options{Rows: 1})
	require.ErrorContains(t, err, "epsilon")
}

// TestAWrongDeviceIsRefused breaks the reversal of filters, which only the gradients of the first
// layers depend on.
func TestAWrongDeviceIsRefused(t *testing.T) {
	ctx, w := open(t, cl.CPU), net.NewWeights(shapes[3].spec, shapes[3].config, env.NewRand(1))
	trainer, err := New(ctx, w, graph.Default(), Options{Rows: rows})
	require.NoError(t, err)
	trainer.Close()
	intact := source
	defer func() { source = intact }()
	source = strings.Replace(source, "x[i] = w[(8 - i) * size]", "x[i] = w[i * size]", 1)
	require.NotEqual(t, intact, source)
	_, err = New(ctx, w, graph.Default(), Options{Rows: rows})
	require.ErrorIs(t, err, opencl.ErrWrong)
}
