package net

import (
	"context"
	"sync"

	"tiro/env"
	"tiro/mcts"
)

// EvaluatorPool runs several evaluators of one Model in parallel on the leaves of one search. It
// is meant for play, where a single position is searched. Its results are equal to a single
// Evaluator's, to the bit. It is for one goroutine. The goroutines that it starts end before
// Evaluate returns.
type EvaluatorPool struct {
	workers []poolWorker
	work    sync.WaitGroup
}

var _ mcts.Evaluator = (*EvaluatorPool)(nil)

// poolWorker is one evaluator of a pool and its part of the current leaves.
type poolWorker struct {
	evaluator *Evaluator
	ctx       context.Context // context of the current call
	leaves    []*mcts.Leaf
	err       error
	run       func() // made once, to avoid an allocation per call
}

// NewEvaluatorPool returns a pool of threads evaluators, at least one, each of maxRows positions.
func NewEvaluatorPool(game env.Game, m *Model, threads, maxRows int) *EvaluatorPool {
	p := &EvaluatorPool{workers: make([]poolWorker, max(threads, 1))}
	for i := range p.workers {
		w := &p.workers[i]
		w.evaluator = NewEvaluator(game, m, maxRows)
		w.run = func() {
			defer p.work.Done()
			w.err = w.evaluator.Evaluate(w.ctx, w.leaves)
		}
	}
	return p
}

// minLeaves is the smallest number of leaves for a worker. A network evaluates four positions in
// twice the time of one, and waking another core takes as long as one or two evaluations: with
// the default network, 800 simulations of 4 leaves at a time take 37 ms on one core, but 51 ms on
// two cores with 2 leaves each.
const minLeaves = 4

// Evaluate splits the leaves evenly among the workers, with at least minLeaves each. It returns
// the same errors as Evaluator.Evaluate.
func (p *EvaluatorPool) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	busy := p.workers[:max(1, min(len(p.workers), len(leaves)/minLeaves))]
	for i := range busy {
		w := &busy[i]
		w.ctx, w.leaves = ctx, leaves[i*len(leaves)/len(busy):(i+1)*len(leaves)/len(busy)]
		p.work.Add(1)
		if i+1 < len(busy) {
			go w.run()
		} else {
			w.run()
		}
	}
	p.work.Wait()
	for i := range busy {
		if err := busy[i].err; err != nil {
			return err
		}
	}
	return nil
}
