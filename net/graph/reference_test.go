package graph

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
)

// forEachSet runs a test for every kernel set of this CPU.
func forEachSet(t *testing.T, f func(t *testing.T, set kernel.Set)) {
	for _, name := range kernel.Names() {
		t.Run(name, func(t *testing.T) {
			set, err := kernel.Named(name)
			require.NoError(t, err)
			f(t, set)
		})
	}
}

// referenceLoss is the loss of the whole batch by the reference network.
func referenceLoss(n *nettest.Network, b *Batch) (policy, outcome float64) {
	spec := n.Spec
	total := 0.0
	for r, w := range b.Weight {
		p, o := n.Run(b.X[r*spec.Inputs() : (r+1)*spec.Inputs()])
		policy += float64(w) * rowLoss(p, b.Policy[r*spec.Actions():])
		outcome += float64(w) * rowLoss(o, b.Outcome[r*spec.Outcomes():])
		total += float64(w)
	}
	return policy / total, outcome / total
}

func rowLoss(logits []float64, target []float32) float64 {
	sum, loss := 0.0, 0.0
	for i, x := range logits {
		if target[i] >= 0 {
			sum += math.Exp(x)
		}
	}
	for i, x := range logits {
		if target[i] > 0 {
			loss -= float64(target[i]) * (x - math.Log(sum))
		}
	}
	return loss
}

func TestForwardEqualsReference(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			forEachSet(t, func(t *testing.T, set kernel.Set) { testForward(t, set, shape.spec, shape.config) })
		})
	}
}

func testForward(t *testing.T, set kernel.Set, spec env.Spec, c net.Config) {
	const rows = 2*shardRows + 5
	rng := env.NewRand(1)
	w := nettest.Weights(spec, c, rng)
	trainer, err := NewFor(set, w, Default(), rows)
	require.NoError(t, err)
	fillBatch(trainer.Batch(), spec, rng)
	loss, err := trainer.Measure()
	require.NoError(t, err)

	reference := nettest.New(w)
	for r := range rows {
		policy, outcome := reference.Run(trainer.batch.X[r*spec.Inputs() : (r+1)*spec.Inputs()])
		gotPolicy, gotOutcome := trainer.row(r)
		requireRow(t, policy, gotPolicy, r)
		requireRow(t, outcome, gotOutcome, r)
	}
	requirePlan(t, set, trainer, rows)
	policy, outcome := referenceLoss(reference, trainer.Batch())
	require.InDelta(t, policy, loss.Policy, 1e-5)
	require.InDelta(t, outcome, loss.Outcome, 1e-5)
	require.Less(t, loss.PolicyEntropy, loss.Policy)
}

// requirePlan wants the logits that the compiled plan computes.
func requirePlan(t *testing.T, set kernel.Set, trainer *Trainer, rows int) {
	spec := trainer.weights.Spec
	policy, outcome := make([]float32, rows*spec.Actions()), make([]float32, rows*spec.Outcomes())
	net.CompileFor(set, trainer.weights).NewPlan(rows).Run(rows, trainer.batch.X, policy, outcome)
	for r := range rows {
		gotPolicy, gotOutcome := trainer.row(r)
		require.InDeltaSlice(t, policy[r*spec.Actions():(r+1)*spec.Actions()], gotPolicy, 1e-4)
		require.InDeltaSlice(t, outcome[r*spec.Outcomes():(r+1)*spec.Outcomes()], gotOutcome, 1e-4)
	}
}

// row returns the logits of a row of the last run.
func (t *Trainer) row(r int) (policy, outcome []float32) {
	row := t.logits[r*t.classes():][:t.classes()]
	return row[:t.weights.Spec.Actions()], row[t.weights.Spec.Actions():]
}

func requireRow(t *testing.T, want []float64, got []float32, r int) {
	require.Len(t, got, len(want))
	for i, v := range want {
		require.InDelta(t, v, got[i], 1e-4*(1+math.Abs(v)), "row %d, logit %d", r, i)
	}
}

// TestGradients compares the gradient with central differences of the 64-bit
// reference, at some places of every tensor.
func TestGradients(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			rng := env.NewRand(2)
			w := nettest.Weights(shape.spec, shape.config, rng)
			c := Default()
			c.OutcomeWeight = 0.7
			batch := newTrainer(t, w, c, shardRows+2).Batch()
			fillBatch(batch, shape.spec, rng)
			reference := nettest.New(w)
			want := map[string]map[int]float64{}
			for _, tensor := range w.Tensors() {
				values := reference.Params[tensor.Name]
				want[tensor.Name] = map[int]float64{}
				for n := range min(len(values), 6) {
					j := n * len(values) / min(len(values), 6)
					want[tensor.Name][j] = difference(reference, batch, c.OutcomeWeight, &values[j])
				}
			}
			forEachSet(t, func(t *testing.T, set kernel.Set) {
				trainer, err := NewFor(set, w, c, shardRows+2)
				require.NoError(t, err)
				copyBatch(trainer.Batch(), batch)
				_, err = trainer.run(trainer.learn)
				require.NoError(t, err)
				grads := trainer.grads
				for _, tensor := range w.Tensors() {
					for j, v := range want[tensor.Name] {
						require.InDelta(t, v, grads[j], 2e-5*(1+math.Abs(v)), "%s element %d", tensor.Name, j)
					}
					grads = grads[len(tensor.Data):]
				}
			})
		})
	}
}

func copyBatch(dst, src *Batch) {
	copy(dst.X, src.X)
	copy(dst.Policy, src.Policy)
	copy(dst.Outcome, src.Outcome)
	copy(dst.Weight, src.Weight)
}

// difference returns the derivative of the loss by x.
func difference(n *nettest.Network, b *Batch, outcomeWeight float64, x *float64) float64 {
	const h = 1e-6
	at := func(v float64) float64 {
		old := *x
		*x = v
		policy, outcome := referenceLoss(n, b)
		*x = old
		return policy + outcomeWeight*outcome
	}
	return (at(*x+h) - at(*x-h)) / (2 * h)
}
