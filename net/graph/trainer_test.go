package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
)

// The networks are small, with every branch on and off, and with sizes of 1 where allowed.
var shapes = []struct {
	name   string
	spec   env.Spec
	config net.Config
}{
	{"full", nettest.Spec(3, [3]int{2, 3, 4}, 3), net.Config{Channels: 4, Blocks: 2, Pool: true, OutcomeChannels: 2, Hidden: 5}},
	{"plain", nettest.Spec(2, [3]int{3, 4, 3}, 2), net.Config{Channels: 3, Blocks: 1, OutcomeChannels: 2}},
	{"ones", nettest.Spec(2, [3]int{1, 3, 3}, 1), net.Config{Channels: 1, Blocks: 1, Pool: true, OutcomeChannels: 1, Hidden: 1}},
	{"tiles", nettest.Spec(2, [3]int{2, 5, 5}, 2), net.Config{Channels: 16, Blocks: 1, Pool: true, OutcomeChannels: 1}},
	{"ownership", nettest.Spec(3, [3]int{2, 3, 4}, 3), net.Config{Channels: 4, Blocks: 1, OutcomeChannels: 2, Ownership: true}},
	{"ownership by the stem", nettest.Spec(2, [3]int{2, 2, 3}, 2), net.Config{Channels: 3, OutcomeChannels: 1, Hidden: 2, Ownership: true}},
	{"stem", nettest.Spec(4, [3]int{2, 1, 1}, 2), net.Config{Channels: 5, OutcomeChannels: 1, Hidden: 3}},
}

func trainerOf(t testing.TB, w *net.Weights, c Config, rows int) *Trainer {
	trainer, err := New(w, c, Options{Backend: kernel.Best(), Rows: rows})
	require.NoError(t, err)
	return trainer
}

// fillBatch fills a batch with random rows: some actions are illegal, weights have several sizes,
// and a row has weight 0.
func fillBatch(b *Batch, spec env.Spec, rng *rand.Rand) {
	nettest.Fill(b.X, rng)
	for r := range b.Weight {
		b.Weight[r] = float32(r%3) + 0.5
		policy := b.Policy[r*spec.Actions() : (r+1)*spec.Actions()]
		sum := float32(0)
		for i := range policy {
			policy[i] = -1
			if rng.IntN(3) > 0 || i == 0 {
				policy[i] = rng.Float32()
				sum += policy[i]
			}
		}
		for i := range policy {
			if policy[i] > 0 {
				policy[i] /= sum
			}
		}
		outcome := b.Outcome[r*spec.Outcomes() : (r+1)*spec.Outcomes()]
		clear(outcome)
		outcome[rng.IntN(len(outcome))] += 0.75
		outcome[rng.IntN(len(outcome))] += 0.25
	}
	if len(b.Weight) > 1 {
		b.Weight[1] = 0
	}
	fillOwnership(b, spec, rng)
}

// fillOwnership fills the targets of the ownership head: cells of all owners, a row without
// owners, and a row without scores.
func fillOwnership(b *Batch, spec env.Spec, rng *rand.Rand) {
	for i := range b.Ownership {
		b.Ownership[i] = int8(rng.IntN(spec.OwnershipClasses+1) - 1)
	}
	if len(b.Ownership) > 0 {
		for i := range spec.Cells() {
			b.Ownership[i] = env.NoOwnership
		}
	}
	for i := range b.Score { // some errors are above 1
		b.Score[i] = 4*rng.Float32() - 2
		if i/spec.Players == 2 {
			b.Score[i] = float32(math.NaN())
		}
	}
}

func TestMemorisesABatch(t *testing.T) {
	rng := env.NewRand(3)
	spec := nettest.Spec(2, [3]int{3, 3, 3}, 2)
	w := net.NewWeights(spec, net.Config{Channels: 16, Blocks: 2, Pool: true, OutcomeChannels: 4, Hidden: 16}, rng)
	c := Default()
	c.WeightDecay = 0
	trainer := trainerOf(t, w, c, 16)
	b := trainer.Batch()
	fillBatch(b, spec, rng)
	for r := range b.Weight {
		b.Weight[r] = 1
		outcome := b.Outcome[r*spec.Outcomes() : (r+1)*spec.Outcomes()]
		clear(outcome)
		outcome[rng.IntN(len(outcome))] = 1
	}
	first, err := trainer.Step(0.01)
	require.NoError(t, err)
	require.InDelta(t, math.Log(3), first.Outcome, 1e-6, "a fresh network gives all outcomes the same chance")
	var last Loss
	for range 120 {
		last, err = trainer.Step(0.01)
		require.NoError(t, err)
	}
	t.Logf("first %+v, last %+v", first, last)
	require.Less(t, last.Outcome, 0.05)
	require.Less(t, last.Policy-last.PolicyEntropy, 0.1*(first.Policy-first.PolicyEntropy))
}

// learn runs steps on batches that are drawn from their number, so that a resumed run uses the
// same batches as an uninterrupted one.
func learn(t *testing.T, trainer *Trainer, spec env.Spec, from, to int) {
	for step := from; step < to; step++ {
		fillBatch(trainer.Batch(), spec, env.NewRand(4, uint64(step)))
		_, err := trainer.Step(0.01 / float64(1+step))
		require.NoError(t, err)
	}
}

func TestResumesBitByBit(t *testing.T) {
	shape := shapes[0]
	c := Default()
	c.ClipNorm = 0.5
	start := nettest.Weights(shape.spec, shape.config, env.NewRand(5))

	unbroken := start.Clone()
	learn(t, trainerOf(t, unbroken, c, 4), shape.spec, 0, 8)

	again := start.Clone()
	learn(t, trainerOf(t, again, c, 4), shape.spec, 0, 8)
	require.Equal(t, unbroken.Flat(), again.Flat(), "the same steps twice")

	resumed := start.Clone()
	first := trainerOf(t, resumed, c, 4)
	learn(t, first, shape.spec, 0, 3)
	state := first.OptimizerState()
	resumed = resumed.Clone()
	second := trainerOf(t, resumed, c, 4)
	require.NoError(t, second.SetOptimizerState(state))
	require.NoError(t, CheckOptimizerState(start.Tensors(), state))
	require.ErrorContains(t, CheckOptimizerState(start.Tensors(), state[1:]), `tensor "steps" is missing`)
	learn(t, second, shape.spec, 3, 8)
	require.Equal(t, unbroken.Flat(), resumed.Flat(), "stopped and gone on")
	require.Equal(t, []float32{0, 8}, second.OptimizerState()[0].Data)
}

func TestResultsDoNotDependOnTheNumberOfThreads(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			forEachBackend(t, func(t *testing.T, backend kernel.Backend) {
				var all [][]float32
				for _, threads := range []int{1, 3, 8, 20} {
					w := nettest.Weights(shape.spec, shape.config, env.NewRand(5))
					trainer, err := New(w, Default(), Options{Backend: backend, Rows: 3*shardRows + 1, Threads: threads})
					require.NoError(t, err)
					learn(t, trainer, shape.spec, 0, 3)
					all = append(all, w.Flat())
				}
				require.Equal(t, all[0], all[1])
				require.Equal(t, all[0], all[2])
				require.Equal(t, all[0], all[3])
			})
		})
	}
}

// TestRowsThatTeachNothing checks that rows of weight 0, and the policy of rows without a target,
// have no effect, whatever else they contain.
func TestRowsThatTeachNothing(t *testing.T) {
	shape := shapes[0]
	learned := func(change func(b *Batch)) (Loss, []float32) {
		w := nettest.Weights(shape.spec, shape.config, env.NewRand(5))
		trainer := trainerOf(t, w, Default(), 3)
		fillBatch(trainer.Batch(), shape.spec, env.NewRand(6)) // its row 1 has weight 0
		change(trainer.Batch())
		loss, err := trainer.Step(0.01)
		require.NoError(t, err)
		return loss, w.Flat()
	}
	actions := shape.spec.Actions()
	setPolicy := func(b *Batch, row int, to float32) {
		for i := range actions {
			b.Policy[row*actions+i] = to
		}
	}
	loss, want := learned(func(*Batch) {})
	changedLoss, got := learned(func(b *Batch) { setPolicy(b, 1, -1) })
	require.Equal(t, want, got)
	require.Equal(t, loss, changedLoss)

	loss, want = learned(func(b *Batch) { setPolicy(b, 0, -1) })
	changedLoss, got = learned(func(b *Batch) { setPolicy(b, 0, 0) })
	require.Equal(t, want, got)
	require.Equal(t, loss, changedLoss)
}

func TestRefusesWhatItCannotLearnFrom(t *testing.T) {
	shape := shapes[0]
	w := nettest.Weights(shape.spec, shape.config, env.NewRand(6))
	before := w.Clone()
	trainer := trainerOf(t, w, Default(), 2)

	_, err := trainer.Step(0.1)
	require.ErrorContains(t, err, "weights of all rows are 0")

	fillBatch(trainer.Batch(), shape.spec, env.NewRand(6))
	trainer.Batch().X[0] = float32(math.Inf(1))
	_, err = trainer.Step(0.1)
	require.ErrorContains(t, err, "not finite")
	require.Equal(t, before.Flat(), w.Flat())

	trainer.Batch().X[0] = 0
	trainer.Batch().Weight[1] = -1
	_, err = trainer.Step(0.1)
	require.ErrorContains(t, err, "weight of row 1")

	trainer.Batch().Weight[1] = 1
	_, err = trainer.Step(0.1)
	require.NoError(t, err, "the trainer continues after errors")

	_, err = New(w, Default(), Options{Backend: kernel.Best()})
	require.ErrorContains(t, err, "batch of 0 rows")
	_, err = New(w, Config{}, Options{Backend: kernel.Best(), Rows: 1})
	require.ErrorContains(t, err, "epsilon is 0")
}

func TestMeasureLeavesNoTrace(t *testing.T) {
	shape := shapes[0]
	a := nettest.Weights(shape.spec, shape.config, env.NewRand(7))
	b := a.Clone()
	plain, measured := trainerOf(t, a, Default(), 2), trainerOf(t, b, Default(), 2)
	for step := range 3 {
		fillBatch(plain.Batch(), shape.spec, env.NewRand(8, uint64(step)))
		fillBatch(measured.Batch(), shape.spec, env.NewRand(8, uint64(step)))
		measure, err := measured.Measure()
		require.NoError(t, err)
		want, err := plain.Step(0.01)
		require.NoError(t, err)
		got, err := measured.Step(0.01)
		require.NoError(t, err)
		require.Equal(t, want, got)
		want.GradNorm = 0
		require.Equal(t, want, measure)
	}
	require.Equal(t, a.Flat(), b.Flat())
}

func TestLegal(t *testing.T) {
	minusZero := float32(math.Copysign(0, -1))
	target := []float32{0, -1, minusZero, 1e-45, -1e-45, float32(math.Inf(-1)), 1}
	require.Equal(t, []int32{0, 2, 3, 6}, (&worker{places: make([]int32, len(target))}).legal(target))
}

func TestClipsByGlobalNorm(t *testing.T) {
	shape := shapes[0]
	c := Default()
	c.ClipNorm = 1e-3
	w := nettest.Weights(shape.spec, shape.config, env.NewRand(9))
	trainer := trainerOf(t, w, c, 3)
	fillBatch(trainer.Batch(), shape.spec, env.NewRand(9))
	loss, err := trainer.Step(1)
	require.NoError(t, err)
	require.Greater(t, loss.GradNorm, 1e-3)
	sum := 0.0
	for _, mean := range trainer.optimizer.Moments[0].Values {
		gradient := float64(mean) / (1 - c.Beta1)
		sum += gradient * gradient
	}
	require.InDelta(t, 1e-3, math.Sqrt(sum), 1e-6)
}

func ExampleTrainer() {
	spec := nettest.Spec(2, [3]int{1, 3, 3}, 1)
	w := net.NewWeights(spec, net.Config{Channels: 8, Blocks: 1, OutcomeChannels: 2}, env.NewRand(1))
	trainer, err := New(w, Default(), Options{Backend: kernel.Best(), Rows: 2})
	if err != nil {
		panic(err)
	}
	b := trainer.Batch()
	b.X[4], b.X[9] = 1, 1
	b.Policy[0], b.Policy[9+8] = 1, 1   // the target of the first row is action 0, of the second action 8
	b.Outcome[0], b.Outcome[3+2] = 1, 1 // a win, a draw
	b.Weight[0], b.Weight[1] = 1, 1
	for step := range 61 {
		loss, err := trainer.Step(0.01)
		if err != nil {
			panic(err)
		}
		if step%30 == 0 {
			fmt.Printf("step %d: policy %.1f outcome %.1f\n", step, loss.Policy, loss.Outcome)
		}
	}
	// Output:
	// step 0: policy 2.2 outcome 1.1
	// step 30: policy 0.0 outcome 0.0
	// step 60: policy 0.0 outcome 0.0
}

// TestTrainersGo: the memory of an unreachable trainer is freed.
func TestTrainersGo(t *testing.T) {
	const trainers = 3
	gone := make(chan int, trainers)
	for i := range trainers {
		w := net.NewWeights(shapes[0].spec, shapes[0].config, env.NewRand(1))
		runtime.AddCleanup(trainerOf(t, w, Default(), 4), func(i int) { gone <- i }, i)
	}
	require.Eventually(t, func() bool { runtime.GC(); return len(gone) == trainers }, 5*time.Minute, time.Millisecond)
}
