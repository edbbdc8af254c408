package train

import (
	"context"
	"fmt"

	"tiro/models/card"
	"tiro/net"
	"tiro/rundir"
)

// WarmStart writes the folder of a new run, Options.Dir, that begins with the network w
// of another run instead of random weights: checkpoint 0, which Run goes on from. The
// network is one for the game or for a variant of it. The origins are those of w, last
// that of the run which it is taken from. The folder appears complete or not at all.
func WarmStart(ctx context.Context, o Options, w *net.Weights, origins []card.Origin) error {
	if err := o.Validate(); err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	spec := o.Game.Spec()
	if err := spec.CheckNetwork(w.Spec); err != nil {
		return fmt.Errorf("train: warm start: the network is for %s; want one for %s or a variant of it: %w", w.Spec.Name, spec.Name, err)
	}
	if want := o.Config.Net.Inference(); w.Config != want {
		return fmt.Errorf("train: warm start: the network is %+v; want %+v", w.Config, want)
	}
	r := run{Options: o.withDefaults()}
	initial := r.initial() // random numbers stay where w has none, in heads that only learning needs
	copy(initial.Inference().Flat(), w.Flat())
	if err := r.start(initial); err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	c, err := r.checkpoint(nil)
	if err != nil {
		return fmt.Errorf("train: warm start: %w", err)
	}
	s := rundir.WarmStart{Game: r.Game, Config: r.Config, Note: r.Note, Checkpoint: c, Origins: origins}
	return s.Write(ctx, r.Disk, r.Dir)
}
