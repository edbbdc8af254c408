package net

import (
	"tiro/env"
	"tiro/memory"
	"tiro/net/kernel"
)

// ModelBytes returns the memory of the network compiled for a game, in bytes.
func (c Config) ModelBytes(spec env.Spec) int64 {
	a := memory.Allocator{DryRun: true}
	c.dryModel(&a, spec)
	return a.Bytes()
}

// EvaluatorBytes returns the memory of an Evaluator of up to maxRows positions
// at once, in bytes, without its model.
func (c Config) EvaluatorBytes(spec env.Spec, maxRows int) int64 {
	a := memory.Allocator{DryRun: true}
	newEvaluator(&a, spec, c.dryModel(&memory.Allocator{DryRun: true}, spec), maxRows)
	return a.Bytes()
}

// dryModel returns a model that holds no numbers.
func (c Config) dryModel(a *memory.Allocator, spec env.Spec) *Model {
	return compile(a, kernel.Best(), &Weights{Config: c, Spec: spec})
}
