package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/selfplay"
)

// learner turns rows of a buffer into steps of a network. It belongs to one
// goroutine.
type learner struct {
	config     Learner
	trainer    *graph.Trainer
	symmetries []env.Symmetry // empty for a game without
	start      env.State
	state      env.State // of the row being filled in
	legal      []env.Action
	x          []float32 // its observation before the symmetry
	inputs     int
	actions    int
	outcomes   int
}

// newLearner returns a learner that moves w in place.
func newLearner(game env.Game, c Learner, w *net.Weights) (*learner, error) {
	trainer, err := graph.New(w, c.Solver, c.Batch)
	if err != nil {
		return nil, err
	}
	spec := game.Spec()
	l := &learner{
		config:   c,
		trainer:  trainer,
		start:    game.New(),
		state:    game.New(),
		x:        make([]float32, spec.Inputs()),
		inputs:   spec.Inputs(),
		actions:  spec.Actions(),
		outcomes: spec.Outcomes(),
	}
	if s, ok := game.(env.Symmetric); ok {
		l.symmetries = s.Symmetries()
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
	steps                     int
	policy, outcome, kl, grad float64
}

func (m *losses) add(l graph.Loss) {
	m.steps++
	n := float64(m.steps)
	m.policy += (l.Policy - m.policy) / n
	m.outcome += (l.Outcome - m.outcome) / n
	m.kl += (l.Policy - l.PolicyEntropy - m.kl) / n
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
		tick()
	}
	return mean, nil
}

// measure returns the loss on one batch of the newest rows of b, without
// learning from it.
func (l *learner) measure(b *Buffer, newest int, rng *rand.Rand) (graph.Loss, error) {
	l.fill(b, b.Len()-newest, newest, rng)
	return l.trainer.Measure()
}

// fill fills the trainer's batch with rows drawn from n rows of b, beginning
// with row first, each under a symmetry drawn too.
func (l *learner) fill(b *Buffer, first, n int, rng *rand.Rand) {
	batch := l.trainer.Batch()
	for i := range l.config.Batch {
		episode, row := b.Row(first + rng.IntN(n))
		symmetry := env.Symmetry{}
		if len(l.symmetries) > 0 {
			symmetry = l.symmetries[rng.IntN(len(l.symmetries))]
		}
		l.replay(episode, row.Ply)
		l.observe(batch.X[i*l.inputs:(i+1)*l.inputs], symmetry)
		l.policy(batch.Policy[i*l.actions:(i+1)*l.actions], row, symmetry)
		certain := math.Pow(l.config.Discount, float64(len(episode.Actions)-row.Ply))
		outcome(batch.Outcome[i*l.outcomes:(i+1)*l.outcomes], episode.Result, row.Value, l.config.ValueShare, certain, l.state.Turn())
		batch.Weight[i] = 1
	}
}

// replay plays a game again up to a ply.
func (l *learner) replay(e *selfplay.Episode, ply int) {
	l.state.CopyFrom(l.start)
	for _, a := range e.Actions[:ply] {
		l.state.Play(a)
	}
}

// observe writes the image of the state's observation.
func (l *learner) observe(dst []float32, s env.Symmetry) {
	if s.Input == nil {
		l.state.Observe(dst)
		return
	}
	l.state.Observe(l.x)
	for i, from := range s.Input {
		dst[i] = l.x[from]
	}
}

// policy writes the image of the row's policy, below 0 for illegal actions.
func (l *learner) policy(dst []float32, row *selfplay.Row, s env.Symmetry) {
	image := func(a env.Action) env.Action {
		if s.Action == nil {
			return a
		}
		return s.Action[a]
	}
	for i := range dst {
		dst[i] = -1
	}
	l.legal = l.state.Legal(l.legal[:0])
	for _, a := range l.legal {
		dst[image(a)] = 0
	}
	for _, p := range row.Policy {
		dst[image(p.Action)] = float32(p.Part) / selfplay.Whole
	}
}
