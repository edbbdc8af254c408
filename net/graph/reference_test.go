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

// forEachBackend runs a test with each backend of this CPU.
func forEachBackend(t *testing.T, f func(t *testing.T, backend kernel.Backend)) {
	for _, name := range kernel.Names() {
		t.Run(name, func(t *testing.T) {
			backend, err := kernel.Named(name)
			require.NoError(t, err)
			f(t, backend)
		})
	}
}

// referenceLoss is the loss of the whole batch, computed with the reference network.
func referenceLoss(n *nettest.Reference, b *Batch) Loss {
	spec, cells := n.Spec, n.Spec.Cells()
	var loss Loss
	total := 0.0
	for r, weight := range b.Weight {
		w := float64(weight)
		policy, outcome, planes := n.RunAll(b.X[r*spec.Inputs() : (r+1)*spec.Inputs()])
		loss.Policy += w * nettest.CrossEntropy(policy, b.Policy[r*spec.Actions():])
		loss.Outcome += w * nettest.CrossEntropy(outcome, b.Outcome[r*spec.Outcomes():])
		if n.Config.Ownership {
			ownership, players := planes[:spec.OwnershipClasses*cells], spec.Players
			loss.Ownership += w * rowOwnership(ownership, b.Ownership[r*cells:][:cells])
			loss.Score += w * rowScore(planes[len(ownership):], b.Score[r*players:][:players])
		}
		total += w
	}
	for _, l := range []*float64{&loss.Policy, &loss.Outcome, &loss.Ownership, &loss.Score} {
		*l /= total
	}
	return loss
}

// objective is the loss that the trainer minimises.
func (l Loss) objective(c Config) float64 {
	return l.Policy + c.OutcomeWeight*l.Outcome + c.OwnershipWeight*l.Ownership + c.ScoreWeight*l.Score
}

func rowOwnership(logits []float64, target []int8) float64 {
	classes, sum, owned := len(logits)/len(target), 0.0, 0
	for cell, class := range target {
		if class < 0 {
			continue
		}
		var own []float64
		oneHot := make([]float32, classes)
		oneHot[class] = 1
		for k := range classes {
			own = append(own, logits[k*len(target)+cell])
		}
		sum += nettest.CrossEntropy(own, oneHot)
		owned++
	}
	if owned == 0 {
		return 0
	}
	return sum / float64(owned)
}

func rowScore(planes []float64, target []float32) float64 {
	cells, sum := len(planes)/len(target), 0.0
	if math.IsNaN(float64(target[0])) {
		return 0
	}
	for seat, want := range target {
		d := -float64(want)
		for _, x := range planes[seat*cells:][:cells] {
			d += x / float64(cells)
		}
		if d = math.Abs(d); d <= 1 {
			sum += d * d / 2
		} else {
			sum += d - 0.5
		}
	}
	return sum / float64(len(target))
}

func TestForwardEqualsReference(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			forEachBackend(t, func(t *testing.T, backend kernel.Backend) { testForward(t, backend, shape.spec, shape.config) })
		})
	}
}

func testForward(t *testing.T, backend kernel.Backend, spec env.Spec, c net.Config) {
	const rows = 2*shardRows + 5
	rng := env.NewRand(1)
	w := nettest.Weights(spec, c, rng)
	trainer, err := New(w, Default(), Options{Backend: backend, Rows: rows})
	require.NoError(t, err)
	fillBatch(trainer.Batch(), spec, rng)
	loss, err := trainer.Measure()
	require.NoError(t, err)

	reference := nettest.New(w)
	for r := range rows {
		policy, outcome, ownership := reference.RunAll(trainer.batch.X[r*spec.Inputs() : (r+1)*spec.Inputs()])
		gotPolicy, gotOutcome, gotOwnership := trainer.row(r)
		requireRow(t, policy, gotPolicy, r)
		requireRow(t, outcome, gotOutcome, r)
		requireRow(t, ownership, gotOwnership, r)
	}
	requirePlan(t, backend, trainer, rows)
	want := referenceLoss(reference, trainer.Batch())
	require.InDelta(t, want.Policy, loss.Policy, 1e-5)
	require.InDelta(t, want.Outcome, loss.Outcome, 1e-5)
	require.InDelta(t, want.Ownership, loss.Ownership, 1e-5)
	require.InDelta(t, want.Score, loss.Score, 1e-5)
	require.Less(t, loss.PolicyEntropy, loss.Policy)
}

// requirePlan checks that the logits equal the compiled plan's.
func requirePlan(t *testing.T, backend kernel.Backend, trainer *Trainer, rows int) {
	spec := trainer.weights.Spec
	policy, outcome := make([]float32, rows*spec.Actions()), make([]float32, rows*spec.Outcomes())
	net.Compile(backend, trainer.weights).NewPlan(rows).Run(rows, trainer.batch.X, policy, outcome)
	for r := range rows {
		gotPolicy, gotOutcome, _ := trainer.row(r)
		require.InDeltaSlice(t, policy[r*spec.Actions():(r+1)*spec.Actions()], gotPolicy, 1e-4)
		require.InDeltaSlice(t, outcome[r*spec.Outcomes():(r+1)*spec.Outcomes()], gotOutcome, 1e-4)
	}
}

// row returns the logits of a row in the last run.
func (t *Trainer) row(r int) (policy, outcome, ownership []float32) {
	row, actions, outcomes := t.logits[r*t.classes:][:t.classes], t.weights.Spec.Actions(), t.weights.Spec.Outcomes()
	return row[:actions], row[actions : actions+outcomes], row[actions+outcomes:]
}

func requireRow(t *testing.T, want []float64, got []float32, r int) {
	require.Len(t, got, len(want))
	for i, v := range want {
		require.InDelta(t, v, got[i], 1e-4*(1+math.Abs(v)), "row %d, logit %d", r, i)
	}
}

// TestGradients compares the gradient with central differences of the 64-bit reference, at some
// elements of every tensor.
func TestGradients(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			rng := env.NewRand(2)
			w := nettest.Weights(shape.spec, shape.config, rng)
			c := Default()
			c.OutcomeWeight, c.OwnershipWeight, c.ScoreWeight = 0.7, 0.6, 0.5
			batch := trainerOf(t, w, c, shardRows+2).Batch()
			fillBatch(batch, shape.spec, rng)
			reference := nettest.New(w)
			want := map[string]map[int]float64{}
			for _, tensor := range w.Tensors() {
				values := reference.Params[tensor.Name]
				want[tensor.Name] = map[int]float64{}
				for n := range min(len(values), 6) {
					j := n * len(values) / min(len(values), 6)
					want[tensor.Name][j] = difference(reference, batch, c, &values[j])
				}
			}
			forEachBackend(t, func(t *testing.T, backend kernel.Backend) {
				trainer, err := New(w, c, Options{Backend: backend, Rows: shardRows + 2})
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
	copy(dst.Ownership, src.Ownership)
	copy(dst.Score, src.Score)
	copy(dst.Weight, src.Weight)
}

// difference returns the derivative of the loss with respect to x.
func difference(n *nettest.Reference, b *Batch, c Config, x *float64) float64 {
	const h = 1e-6
	at := func(v float64) float64 {
		old := *x
		*x = v
		loss := referenceLoss(n, b)
		*x = old
		return loss.objective(c)
	}
	return (at(*x+h) - at(*x-h)) / (2 * h)
}
