package train

import "tiro/net"

// ema is the exponential moving average of the inference weights over the steps of a run. It
// plays better than the raw weights, which fluctuate with the last few batches (Polyak and
// Juditsky 1992, "Acceleration of stochastic approximation by averaging").
type ema struct {
	weights *net.Weights
	decay   float64 // fraction of the average that remains after a step, between 0 and 1
}

// add adds the weights after a step of the run, counted from 0. In the first steps the decay is
// (1+step)/(10+step) if that is smaller. Otherwise the random initial weights would dominate for
// a long time (TensorFlow, tf.train.ExponentialMovingAverage, num_updates).
//
// The weights are divided into parts. parallel calls f for each part, possibly concurrently.
func (e *ema) add(w *net.Weights, step int, parallel func(parts int, f func(i int))) {
	weight := float32(1 - min(e.decay, float64(1+step)/float64(10+step)))
	all, newest := e.weights.Flat(), w.Inference().Flat()
	const size = 1 << 13 // elements per part
	parallel((len(all)+size-1)/size, func(i int) {
		mean := all[i*size : min((i+1)*size, len(all))]
		for k, x := range newest[i*size:][:len(mean)] {
			mean[k] += float32(weight * (x - mean[k]))
		}
	})
}
