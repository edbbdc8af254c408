package cluster

import (
	"context"
	"sync/atomic"

	"tiro/mcts"
)

// counter counts the positions that evaluators evaluate.
type counter struct{ n atomic.Int64 }

func (c *counter) evaluations() int { return int(c.n.Load()) }

// count returns an evaluator that is e and counts.
func (c *counter) count(e mcts.Evaluator) mcts.Evaluator { return counting{e, c} }

type counting struct {
	mcts.Evaluator
	*counter
}

// Evaluate evaluates and counts leaves.
func (c counting) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	c.n.Add(int64(len(leaves)))
	return c.Evaluator.Evaluate(ctx, leaves)
}
