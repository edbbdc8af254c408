package train

import "tiro/net"

// average is the running mean of what plays of the weights over the steps of a
// run: each step it moves a little way towards the newest. It plays better than
// the weights that are learned with, which the last few batches push to and fro
// (Polyak and Juditsky 1992, "Acceleration of stochastic approximation by
// averaging").
type average struct {
	weights *net.Weights
	keep    float64 // share of the mean that a step leaves, above 0, below 1
}

// add takes in the weights after step number step of the run, counted from 0.
// The first steps count for more, or the random weights of the beginning would
// stay long: the mean keeps (1+step)/(10+step), until that is more than keep
// (TensorFlow, tf.train.ExponentialMovingAverage, num_updates).
func (a *average) add(w *net.Weights, step int) {
	share := float32(1 - min(a.keep, float64(1+step)/float64(10+step)))
	mean := a.weights.Flat()
	for i, x := range w.Inference().Flat() {
		mean[i] += share * (x - mean[i])
	}
}

// playing returns the weights that play: the average of those that are learned
// with, or these without the ownership head.
func (l *learner) playing() *net.Weights {
	if l.average != nil {
		return l.average.weights
	}
	return l.trained.Inference()
}

// resume takes over what a checkpoint holds. The learner's weights are those of
// Config.Restore. Either way those that play are the checkpoint's, whose games they
// play: without an average, learning goes on from them too.
func (l *learner) resume(playing *net.Weights, optimizer []net.Tensor) error {
	if l.average != nil {
		l.average.weights = playing.Clone()
	} else {
		copy(l.trained.Inference().Flat(), playing.Flat()) // others where an average was kept until now
	}
	return l.trainer.SetOptimizerState(optimizer)
}
