package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/kernel"
)

// learner turns rows of a buffer into steps of a network. It belongs to one
// goroutine.
type learner struct {
	config     Learner
	spec       env.Spec
	trainer    *graph.Trainer
	trained    *net.Weights   // what the trainer moves
	average    *average       // of them, which plays; nil: they play themselves
	symmetries []env.Symmetry // at least one, which may be empty: the identity
	draws      []draw         // of the batch being filled
	fillers    []*filler
}

// draw is a row to learn from, and the symmetry under which it is seen.
type draw struct {
	game     *record
	row      int
	symmetry *env.Symmetry
}

// newLearner returns a learner that moves w in place, computed by backend.
func newLearner(game env.Game, c Learner, backend kernel.Backend, w *net.Weights) (*learner, error) {
	trainer, err := graph.New(backend, w, c.Optimizer, c.Batch)
	if err != nil {
		return nil, err
	}
	l := &learner{
		config:     c,
		spec:       game.Spec(),
		trainer:    trainer,
		trained:    w,
		symmetries: []env.Symmetry{{}},
		draws:      make([]draw, c.Batch),
	}
	if c.Average > 0 {
		l.average = &average{weights: w.Inference().Clone(), keep: c.Average}
	}
	if s, ok := game.(env.Symmetric); ok {
		l.symmetries = s.Symmetries()
	}
	for range min(runtime.GOMAXPROCS(0), c.Batch) {
		l.fillers = append(l.fillers, newFiller(game))
	}
	return l, nil
}

// rate returns the learning rate of a step of the run, counted from 0.
func (l Learner) rate(step int) float64 {
	rate := l.Rate
	if step < l.WarmUp {
		rate *= float64(step+1) / float64(l.WarmUp)
	}
	for _, d := range l.Drops {
		if step >= d.Step {
			rate *= d.Factor
		}
	}
	return rate
}

// losses is the mean over some steps.
type losses struct {
	Losses
	steps int
	grad  float64
}

func (m *losses) add(l graph.Loss) {
	m.steps++
	n := float64(m.steps)
	m.Losses = m.Losses.with(lossesOf(l), n)
	m.grad += (l.GradNorm - m.grad) / n
}

// learn takes steps with rows drawn from b by draws, which returns the
// generator of a step. The first of them is number step of the run. After each
// one it calls tick.
func (l *learner) learn(ctx context.Context, b *Buffer, step, steps int, draws func(i int) *rand.Rand, tick func()) (losses, error) {
	var mean losses
	for i := range steps {
		if err := context.Cause(ctx); err != nil {
			return mean, err
		}
		l.fill(b, 0, b.Len(), draws(i))
		loss, err := l.trainer.Step(l.config.rate(step + i))
		if err != nil {
			return mean, fmt.Errorf("train: step %d: %w", step+i, err)
		}
		mean.add(loss)
		if l.average != nil {
			l.average.add(l.trained, step+i)
		}
		tick()
	}
	return mean, nil
}

// measure returns the loss on one batch of the newest rows of b, without
// learning from it, and what the outcome's would be of one who only knows how
// often each result comes to the player on turn: the entropy of the mean target.
func (l *learner) measure(b *Buffer, newest int, rng *rand.Rand) (loss graph.Loss, unlearned float64, err error) {
	l.fill(b, b.Len()-newest, newest, rng)
	mean := make([]float64, l.spec.Outcomes())
	for i, p := range l.trainer.Batch().Outcome {
		mean[i%len(mean)] += float64(p) / float64(l.config.Batch)
	}
	for _, p := range mean {
		if p > 0 {
			unlearned -= p * math.Log(p)
		}
	}
	loss, err = l.trainer.Measure()
	return loss, unlearned, err
}

// fill fills the trainer's batch with rows drawn from n rows of b, beginning
// with row first, each under a symmetry drawn too. A share of them is drawn again
// from their games, by surprise.
func (l *learner) fill(b *Buffer, first, n int, rng *rand.Rand) {
	for i := range l.draws {
		d := &l.draws[i]
		d.game, d.row = b.Row(first + rng.IntN(n))
		if d.game.surprises != nil && rng.Float64() < l.config.Surprise {
			d.row = d.game.surprising(rng)
		}
		d.symmetry = &l.symmetries[rng.IntN(len(l.symmetries))]
	}
	var wait sync.WaitGroup
	for k, f := range l.fillers {
		from, to := k*len(l.draws)/len(l.fillers), (k+1)*len(l.draws)/len(l.fillers)
		wait.Go(func() {
			for i := from; i < to; i++ {
				l.fillRow(f, i)
			}
		})
	}
	wait.Wait()
}

// fillRow fills row i of the batch. Rows do not touch each other's memory.
func (l *learner) fillRow(f *filler, i int) {
	batch, d := l.trainer.Batch(), l.draws[i]
	ply := int(d.game.rows[d.row].ply)
	inputs, actions, outcomes := l.spec.Inputs(), l.spec.Actions(), l.spec.Outcomes()
	d.game.replay(f.state, ply)
	f.observe(batch.X[i*inputs:(i+1)*inputs], d.symmetry)
	f.policy(batch.Policy[i*actions:(i+1)*actions], d.game.policy(d.row), d.symmetry)
	certain := d.game.certain(ply, l.config.Discount)
	outcome(batch.Outcome[i*outcomes:(i+1)*outcomes], d.game.result, d.game.value(d.row), l.config.ValueShare, certain, f.state.Turn())
	f.ownership(batch, i, d)
	batch.Weight[i] = 1
}
