package train

import (
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/opencl"
	ondevice "tiro/net/opencl/learner"
	"tiro/replay"
)

// trainer trains weights on the CPU or on a device: see learner.Trainer.
type trainer interface {
	replay.Trainer
	Step(rate float64, next func()) (graph.Loss, error)
	Average(mean *net.Weights, fraction float32) error
	Measure() (graph.Loss, error)
	Sync() error
	OptimizerState() []net.Tensor
	SetOptimizerState(state []net.Tensor) error
	Close()
}

// onCPU is a trainer on the CPU.
type onCPU struct{ *graph.Trainer }

// newTrainer returns a trainer that changes w, on the backend's device if it is one.
func newTrainer(o *Options, w *net.Weights) (trainer, error) {
	if device, ok := o.Backend.(*opencl.Backend); ok {
		return ondevice.New(device.Context(), w, o.Config.Learner.Optimizer, ondevice.Options{Rows: o.Config.Learner.BatchSize, Threads: o.Threads})
	}
	t, err := graph.New(w, o.Config.Learner.Optimizer, o.learning())
	return onCPU{t}, err
}

// trainerBytes estimates the memory of a trainer in this process.
func trainerBytes(o *Options) int64 {
	spec, n := o.Game.Spec(), o.Config.Net
	if _, ok := o.Backend.(*opencl.Backend); ok {
		return ondevice.Bytes(spec, n, o.Config.Learner.BatchSize)
	}
	return graph.Bytes(spec, n, o.learning())
}

// Step updates the weights, and then calls next unless it is nil.
func (t onCPU) Step(rate float64, next func()) (graph.Loss, error) {
	loss, err := t.Trainer.Step(rate)
	if err == nil && next != nil {
		next()
	}
	return loss, err
}

// Sync does nothing: all numbers are in the memory of this process.
func (t onCPU) Sync() error { return nil }

// Close does nothing.
func (t onCPU) Close() {}
