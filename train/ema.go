package train

import "tiro/net"

// ema is the exponential moving average of the inference weights over the steps of a run. It
// plays better than the raw weights, which fluctuate with the last few batches (Polyak and
// Juditsky 1992, "Acceleration of stochastic approximation by averaging").
type ema struct {
	weights *net.Weights
	decay   float64 // fraction of the average that remains after a step, between 0 and 1
}

// add adds the trainer's weights after a step of the run, counted from 0. In the first steps the
// decay is (1+step)/(10+step) if that is smaller. Otherwise the random initial weights would
// dominate for a long time (TensorFlow, tf.train.ExponentialMovingAverage, num_updates).
func (e *ema) add(t trainer, step int) error {
	return t.Average(e.weights, float32(1-min(e.decay, float64(1+step)/float64(10+step))))
}
