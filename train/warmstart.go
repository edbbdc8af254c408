package train

import (
	"context"
	"fmt"

	"tiro/models/card"
	"tiro/net"
	"tiro/recipe"
)

// WarmStart writes the folder of a new run, Options.Dir, that begins with the network w
// of another run instead of random weights: checkpoint 0, which Run goes on from. The
// network is one for the game or for a variant of it; that of the configuration is the same
// or a larger one, which grows from it (see net.Weights.GrowFrom). The origins are those of w, last
// that of the run which it is taken from. The folder appears complete or not at all.
func WarmStart(ctx context.Context, o Options, w *net.Weights, origins []card.Origin) error {
	if err := o.Validate(); err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	spec := o.Game.Spec()
	if err := spec.CheckNetwork(w.Spec); err != nil {
		return fmt.Errorf("train: warm start: the network is for %s; want one for %s or a variant of it: %w", w.Spec.Name, spec.Name, err)
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
