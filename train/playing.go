package train

import (
	"fmt"
	"strings"

	"tiro/configs"
	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
)

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

// keepsTrained reports whether a checkpoint holds weights that are learned with
// beside those that play.
func (l *Learner) keepsTrained(c net.Config) bool { return l.EMADecay > 0 || c != c.Inference() }

// checkpointBytes returns how much the numbers of a checkpoint take.
func (c *Config) checkpointBytes(spec env.Spec) configs.Bytes {
	weights := configs.Bytes(c.Net.Parameters(spec)) * numberBytes
	copies := configs.Bytes(2) // what plays, the mean of the gradients
	if c.Learner.Optimizer.Kind == "adam" {
		copies++ // the mean of their squares
	}
	if c.Learner.keepsTrained(c.Net) {
		copies++
	}
	return copies * weights
}

// trainedPrefix begins the names of the tensors that are learned with, where a
// checkpoint holds them beside the state of the optimizer.
const trainedPrefix = "trained/"

// state returns what a checkpoint has to hold besides the weights that play: the
// optimizer's state, and the weights that are learned with if they are others.
func (l *learner) state() []net.Tensor {
	state := l.trainer.OptimizerState()
	if !l.config.keepsTrained(l.trained.Config) {
		return state
	}
	for _, t := range l.trained.Clone().Tensors() {
		t.Name = trainedPrefix + t.Name
		state = append(state, t)
	}
	return state
}

// splitState takes a checkpoint's tensors apart: the weights that are learned
// with, none if they are those that play, and the optimizer's state.
func splitState(state []net.Tensor) (trained, optimizer []net.Tensor) {
	for _, t := range state {
		if name, ok := strings.CutPrefix(t.Name, trainedPrefix); ok {
			t.Name = name
			trained = append(trained, t)
		} else {
			optimizer = append(optimizer, t)
		}
	}
	return trained, optimizer
}

// restored returns the weights that a run with networks like c learns with, and
// the optimizer's state, from a checkpoint: from the weights that play, and what
// learner.state returned.
func restored(c net.Config, playing *net.Weights, state []net.Tensor) (trained *net.Weights, optimizer []net.Tensor, err error) {
	if playing.Config != c.Inference() {
		return nil, nil, fmt.Errorf("the network is %+v; want %+v", playing.Config, c.Inference())
	}
	others, optimizer := splitState(state)
	if len(others) == 0 && c == c.Inference() {
		return playing, optimizer, nil
	}
	trained, err = net.Assemble(playing.Spec, c, others)
	return trained, optimizer, err
}

// checkState returns an error unless a run of this configuration can go on from
// the weights that play and a checkpoint's other tensors.
func (c *Config) checkState(playing *net.Weights, state []net.Tensor) error {
	trained, optimizer, err := restored(c.Net, playing, state)
	if err != nil {
		return err
	}
	return graph.CheckOptimizerState(c.Learner.Optimizer, trained.Tensors(), optimizer)
}

// resume takes over what a checkpoint holds. The learner's weights are those of
// restored. Either way those that play are the checkpoint's, whose games they
// play: without an average, learning goes on from them too.
func (l *learner) resume(playing *net.Weights, optimizer []net.Tensor) error {
	if l.average != nil {
		l.average.weights = playing.Clone()
	} else {
		copy(l.trained.Inference().Flat(), playing.Flat()) // others where an average was kept until now
	}
	return l.trainer.SetOptimizerState(optimizer)
}
