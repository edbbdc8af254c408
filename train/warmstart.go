package train

import (
	"context"
	"fmt"

	"tiro/models/card"
	"tiro/net"
	"tiro/recipe"
)

// WarmStart writes the folder Options.Dir of a new run whose checkpoint 0 has the network w
// instead of random weights. w must be a network for the game or a variant of it. The configured
// network is equal to it or larger; a larger network is grown from it (see net.Weights.GrowFrom).
// origins are the origins of w, the last of which is the run it is taken from. The folder appears
// complete or not at all.
func WarmStart(ctx context.Context, o Options, w *net.Weights, origins []card.Origin) error {
	if err := o.Validate(); err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	spec := o.Game.Spec()
	if err := spec.CheckNetwork(w.Spec); err != nil {
		return fmt.Errorf("train: warm start: the network is for %s, not for %s or a variant of it: %w", w.Spec.Name, spec.Name, err)
	}
	initial := o.Config.InitialWeights(spec)
	if err := initial.GrowFrom(w); err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	r := run{Options: o.withDefaults()}
	if err := r.start(initial); err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	c, err := r.checkpoint(nil)
	if err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	s := recipe.WarmStart{Game: r.Game, Config: r.Config, Note: r.Note, Checkpoint: c, Origins: origins}
	return s.Write(ctx, r.Disk, r.Dir)
}
