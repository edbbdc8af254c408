package train

import (
	"math/rand/v2"

	"tiro/internal/portable"
	"tiro/net"
	"tiro/net/graph"
	"tiro/recipe"
	"tiro/replay"
)

// learner trains a network on samples of a buffer. It is for one goroutine.
type learner struct {
	config  *recipe.Learner // configuration of the run
	trainer trainer
	sampler *replay.Sampler // fills the trainer's batch
	weights *net.Weights    // raw weights
	average *net.Weights    // moving average of the inference weights; nil: the raw weights are used for inference
}

// newLearner returns a learner that changes w in place. It keeps o.
func newLearner(o *Options, w *net.Weights) (*learner, error) {
	c := &o.Config.Learner
	trainer, err := newTrainer(o, w)
	if err != nil {
		return nil, err
	}
	targets := replay.Targets{SearchValueWeight: c.SearchValueWeight, Discount: c.Discount, PolicySurpriseWeight: c.PolicySurpriseWeight}
	l := &learner{
		config:  c,
		trainer: trainer,
		sampler: replay.NewSampler(o.Game, w.Config, targets, trainer),
		weights: w,
	}
	if c.EMADecay > 0 {
		l.average = w.Inference().Clone()
	}
	return l, nil
}

// inference returns the weights for play: without the ownership head and, with learner.ema_decay,
// averaged.
func (l *learner) inference() *net.Weights {
	if l.average != nil {
		return l.average
	}
	return l.weights.Inference()
}

// restore restores the inference weights and the state of the optimizer from a checkpoint. The
// learner was created with the checkpoint's raw weights. Without an EMA, learning continues from
// the inference weights, which differ from the raw weights if there was an EMA before.
func (l *learner) restore(inference *net.Weights, optimizer []net.Tensor) error {
	if l.average != nil {
		l.average = inference.Clone()
	} else {
		copy(l.weights.Inference().Flat(), inference.Flat())
	}
	return l.trainer.SetOptimizerState(optimizer)
}

// moment is the time of a step in a run.
type moment struct {
	step       int // step of the run, counted from 0
	generation int
	part       float64 // fraction of the generation's steps that precede it, 0 to 1
}

// learningRate returns the learning rate of a step.
func learningRate(l *recipe.Learner, at moment) float64 {
	rate := l.LearningRate
	if at.step < l.WarmupSteps {
		rate *= float64(at.step+1) / float64(l.WarmupSteps)
	}
	for _, d := range l.LearningRateDrops {
		if at.step >= d.Step {
			rate *= d.Factor
		}
	}
	return rate * l.Cooldown.Factor(at.generation, at.part)
}

// fill fills the batch of a step with samples of b that are drawn with rng.
func (l *learner) fill(b *replay.Buffer, rng *rand.Rand) { l.sampler.Fill(b, 0, b.Len(), rng) }

// step runs a step on the batch. Unless it is nil, next fills the batch of the next step, while a
// device computes.
func (l *learner) step(at moment, next func()) (graph.Loss, error) {
	loss, err := l.trainer.Step(learningRate(l.config, at), next)
	if err == nil && l.average != nil {
		err = l.trainer.Average(l.average, averaged(l.config.EMADecay, at.step))
	}
	return loss, err
}

// averaged returns the fraction of the way that the moving average goes to the weights after a
// step of the run, counted from 0. The average plays better than the raw weights, which fluctuate
// with the last few batches (Polyak and Juditsky 1992, "Acceleration of stochastic approximation
// by averaging"). In the first steps the decay is (1+step)/(10+step) if that is smaller. Otherwise
// the random initial weights would dominate for a long time (TensorFlow,
// tf.train.ExponentialMovingAverage, num_updates).
func averaged(decay float64, step int) float32 {
	return float32(1 - min(decay, float64(1+step)/float64(10+step)))
}

// validate returns the loss on one batch of the newest samples of b, without learning from it,
// and a baseline for the outcome loss: the entropy of the mean target, which is the loss of a
// network that predicts the same outcome for every position.
func (l *learner) validate(b *replay.Buffer, newest int, rng *rand.Rand) (loss graph.Loss, baseline float64, err error) {
	l.sampler.Fill(b, b.Len()-newest, newest, rng)
	results := make([]float64, l.weights.Spec.Outcomes())
	addTargets(results, l.trainer.Batch(), l.config.BatchSize)
	loss, err = l.trainer.Measure()
	return loss, entropy(results), err
}

// addTargets adds the outcome targets of a batch's first rows to sums.
func addTargets(sums []float64, b *graph.Batch, rows int) {
	for i, p := range b.Outcome[:rows*len(sums)] {
		sums[i%len(sums)] += float64(p)
	}
}

// entropy returns the entropy, in nats, of the distribution that is proportional to weights.
func entropy(weights []float64) float64 {
	total, sum := 0.0, 0.0
	for _, w := range weights {
		total += w
	}
	for _, w := range weights {
		if p := w / total; p > 0 {
			sum -= float64(p * portable.Log(p))
		}
	}
	return sum
}
