package net

import (
	"tiro/env"
	"tiro/mcts"
	"tiro/net/kernel"
)

// Backend computes networks: a kernel.Backend on this CPU, or a Device. It is immutable and safe
// for concurrent use.
type Backend interface {
	Name() string // for people: such as "avx512", or the names of a device and its driver
	Bits() string // kind of results: backends of one kind compute the same bits
}

// Device is a Backend that compiles networks itself.
type Device interface {
	Backend

	// Compile prepares a network for evaluation. Later changes of w do not affect it. If the
	// device fails, the evaluators of the network return the error.
	Compile(w *Weights) Network

	// Batch returns the number of positions in batches that keep the device busy. All evaluators
	// of a network share batches.
	Batch() int
}

// Network is a compiled network. It is immutable and safe for concurrent use.
type Network interface {
	Spec() env.Spec // of the game of the training
	Config() Config

	// NewEvaluator returns an evaluator of positions of game, for one goroutine. The network must
	// be able to play game (env.Spec.CheckNetwork). The evaluator accepts any number of leaves
	// and runs up to maxRows together, on up to the given number of threads of this CPU. Neither
	// affects the results.
	NewEvaluator(game env.Game, maxRows, threads int) mcts.Evaluator

	// Logits returns a function that evaluates x [Planes, Height, Width], as written by
	// Config.Observe, and writes logits to policy [Actions] and outcome [Players+1]. It is for one goroutine.
	Logits() func(x, policy, outcome []float32) error
}

var (
	_ Backend = kernel.Backend{}
	_ Network = (*Model)(nil)
)

// Kernels returns the kernels of this CPU for a backend: its own, or the best for a Device.
// Without a backend (nil) they are pure Go.
func Kernels(b Backend) kernel.Backend {
	switch b := b.(type) {
	case nil:
		return kernel.Backend{}
	case kernel.Backend:
		return b
	}
	return kernel.Best()
}

// Batch returns the number of positions in batches that keep a Device busy, or 0 if b is no Device.
func Batch(b Backend) int {
	if d, ok := b.(Device); ok {
		return d.Batch()
	}
	return 0
}

// CompileFor prepares a network for any backend: see Compile and Device.
func CompileFor(b Backend, w *Weights) Network {
	if d, ok := b.(Device); ok {
		return d.Compile(w)
	}
	return Compile(Kernels(b), w)
}

// NewEvaluator returns an *Evaluator, or an *EvaluatorPool for several threads.
func (m *Model) NewEvaluator(game env.Game, maxRows, threads int) mcts.Evaluator {
	if threads > 1 {
		return NewEvaluatorPool(game, m, threads, maxRows)
	}
	return NewEvaluator(game, m, maxRows)
}

// Logits returns a function that runs a new Plan.
func (m *Model) Logits() func(x, policy, outcome []float32) error {
	plan := m.NewPlan(1)
	return func(x, policy, outcome []float32) error {
		plan.Run(1, x, policy, outcome)
		return nil
	}
}
