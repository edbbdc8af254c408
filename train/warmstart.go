package train

import (
	"context"
	"fmt"

	"tiro/models/card"
	"tiro/net"
	"tiro/recipe"
)

// Beginning is the beginning of a run.
type Beginning struct {
	// Weights is the network of checkpoint 0, nil for random weights. It is a network for the
	// game or a variant of it, whose grid can have another size. The configured network is
	// equal to it or larger, and is grown from it (see net.Weights.GrowFrom).
	Weights *net.Weights

	Origins []card.Origin // origins of Weights; the last is the run that it is taken from
	Games   *recipe.Given // games of generation 1; nil if the run plays them
}

// WarmStart writes the folder Options.Dir of a new run. The folder appears complete or not at
// all.
func WarmStart(ctx context.Context, o Options, b Beginning) error {
	if err := o.Validate(); err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	spec := o.Game.Spec()
	initial := o.Config.InitialWeights(spec)
	if w := b.Weights; w != nil {
		if err := spec.CheckTransfer(w.Spec); err != nil {
			return fmt.Errorf("train: warm start: the network is for %s, not for %s or a variant of it: %w", w.Spec.Name, spec.Name, err)
		}
		if err := initial.GrowFrom(w); err != nil {
			return fmt.Errorf("train: warm start: %w", err)
		}
	}
	r := run{Options: o.withDefaults()}
	if err := r.start(initial); err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	defer r.learner.trainer.Close()
	c, err := r.checkpoint(nil)
	if err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	s := recipe.WarmStart{Game: r.Game, Config: r.Config, Note: r.Note, Checkpoint: c, Origins: b.Origins, Games: b.Games}
	return s.Write(ctx, r.Disk, r.Dir)
}
