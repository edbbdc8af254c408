package train

import "tiro/net"

// ema is the exponential moving average of the inference weights over the steps
// of a run. It plays better than the weights that learn, which the last few
// batches push to and fro (Polyak and Juditsky 1992, "Acceleration of stochastic
// approximation by averaging").
type ema struct {
	weights *net.Weights
	decay   float64 // part of the average that remains after a step, above 0, below 1
}

// add adds the weights after step number step of the run, counted from 0. In the
// first steps the decay is (1+step)/(10+step), if that is less, or else the random
// weights of the beginning would stay long (TensorFlow,
// tf.train.ExponentialMovingAverage, num_updates).
func (e *ema) add(w *net.Weights, step int) {
	weight := float32(1 - min(e.decay, float64(1+step)/float64(10+step)))
	mean := e.weights.Flat()
	for i, x := range w.Inference().Flat() {
		mean[i] += float32(weight * (x - mean[i]))
	}
}
