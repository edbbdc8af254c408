package net

import (
	"context"
	"fmt"
	"slices"

	"tiro/env"
	"tiro/mcts"
)

// Evaluator evaluates positions with a network: priors from its policy, values from its outcome.
// It is for one goroutine; evaluators of one Model share its weights. It does not allocate after
// the first call.
type Evaluator struct {
	spec    env.Spec
	plan    *Plan
	rows    int
	x       []float32 // [rows, Planes, Height, Width]
	policy  []float32 // [rows, Actions]
	outcome []float32 // [rows, Outcomes]
}

var _ mcts.Evaluator = (*Evaluator)(nil)

// NewEvaluator returns an evaluator of positions of game. m must be a network for game, or for a
// game whose networks can play it (env.Spec.CheckNetwork). The evaluator accepts any number of
// leaves and runs them in batches of maxRows; the result for a leaf does not depend on the batch.
func NewEvaluator(game env.Game, m *Model, maxRows int) *Evaluator {
	spec := game.Spec()
	return &Evaluator{
		spec: spec, plan: m.NewPlan(maxRows), rows: maxRows,
		x:       make([]float32, maxRows*spec.Inputs()),
		policy:  make([]float32, maxRows*spec.Actions()),
		outcome: make([]float32, maxRows*spec.Outcomes()),
	}
}

// Evaluate evaluates leaves. It returns an error if ctx is cancelled or the network's output is
// not finite.
func (e *Evaluator) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	for len(leaves) > 0 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("net: evaluate: %w", err)
		}
		n := min(len(leaves), e.rows)
		if err := e.chunk(leaves[:n]); err != nil {
			return fmt.Errorf("net: evaluate: %w", err)
		}
		leaves = leaves[n:]
	}
	return nil
}

func (e *Evaluator) chunk(leaves []*mcts.Leaf) error {
	inputs, actions, outcomes := e.spec.Inputs(), e.spec.Actions(), e.spec.Outcomes()
	for i, leaf := range leaves {
		e.plan.model.config.Observe(leaf.State, e.x[i*inputs:(i+1)*inputs])
	}
	e.plan.Run(len(leaves), e.x, e.policy, e.outcome)
	for i, leaf := range leaves {
		x := e.x[i*inputs : (i+1)*inputs]
		if err := Priors(leaf.Prior, e.policy[i*actions:(i+1)*actions], leaf.Legal); err != nil {
			return blame(err, leaf, x)
		}
		view, err := OutcomeView(e.outcome[i*outcomes:(i+1)*outcomes], e.spec.Players)
		if err != nil {
			return blame(err, leaf, x)
		}
		leaf.Value = view.BySeat(leaf.State.Turn(), e.spec.Players)
	}
	return nil
}

// blame returns err, or the game's fault that explains why the network has no finite answer
// for a leaf with observation x.
func blame(err error, leaf *mcts.Leaf, x []float32) error {
	switch {
	case len(leaf.Legal) == 0:
		return fmt.Errorf("no action is legal in %s, but the game is not over", leaf.State)
	case slices.ContainsFunc(x, func(v float32) bool { return !finite(v) }):
		return fmt.Errorf("the observation of %s is not finite", leaf.State)
	}
	return err
}
