package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/kernel"
	"tiro/replay"
	"tiro/rundir"
)

// learner turns rows of a buffer into steps of a network. It belongs to one
// goroutine.
type learner struct {
	config  rundir.Learner
	trainer *graph.Trainer
	sampler *replay.Sampler // fills the trainer's batch
	trained *net.Weights    // what the trainer moves
	average *average        // of them, which plays; nil: they play themselves
}

// newLearner returns a learner that moves w in place, computed by backend.
func newLearner(game env.Game, c rundir.Learner, backend kernel.Backend, w *net.Weights) (*learner, error) {
	trainer, err := graph.New(backend, w, c.Optimizer, c.BatchSize)
	if err != nil {
		return nil, err
	}
	targets := replay.Targets{SearchValueWeight: c.SearchValueWeight, Discount: c.Discount, PolicySurpriseWeight: c.PolicySurpriseWeight}
	l := &learner{
		config:  c,
		trainer: trainer,
		sampler: replay.NewSampler(game, targets, trainer.Batch()),
		trained: w,
	}
	if c.EMADecay > 0 {
		l.average = &average{weights: w.Inference().Clone(), keep: c.EMADecay}
	}
	return l, nil
}

// learningRate returns the learning rate of a step of the run, counted from 0.
func learningRate(l *rundir.Learner, step int) float64 {
	rate := l.LearningRate
	if step < l.WarmupSteps {
		rate *= float64(step+1) / float64(l.WarmupSteps)
	}
	for _, d := range l.LearningRateDrops {
		if step >= d.Step {
			rate *= d.Factor
		}
	}
	return rate
}

// losses is the mean over some steps.
type losses struct {
	rundir.Losses
	steps int
	grad  float64
}

func (m *losses) add(l graph.Loss) {
	m.steps++
	n := float64(m.steps)
	m.Losses = addLosses(m.Losses, lossesOf(l), n)
	m.grad += (l.GradNorm - m.grad) / n
}

// learn takes steps with rows drawn from b by draws, which returns the
// generator of a step. The first of them is number step of the run. After each
// one it calls tick.
func (l *learner) learn(ctx context.Context, b *replay.Buffer, step, steps int, draws func(i int) *rand.Rand, tick func()) (losses, error) {
	var mean losses
	for i := range steps {
		if err := context.Cause(ctx); err != nil {
			return mean, err
		}
		l.sampler.Fill(b, 0, b.Len(), draws(i))
		loss, err := l.trainer.Step(learningRate(&l.config, step+i))
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
func (l *learner) measure(b *replay.Buffer, newest int, rng *rand.Rand) (loss graph.Loss, unlearned float64, err error) {
	l.sampler.Fill(b, b.Len()-newest, newest, rng)
	mean := make([]float64, l.trained.Spec.Outcomes())
	for i, p := range l.trainer.Batch().Outcome {
		mean[i%len(mean)] += float64(p) / float64(l.config.BatchSize)
	}
	for _, p := range mean {
		if p > 0 {
			unlearned -= p * math.Log(p)
		}
	}
	loss, err = l.trainer.Measure()
	return loss, unlearned, err
}
