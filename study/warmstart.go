package study

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tiro/disk"
	"tiro/models/card"
	"tiro/net"
	"tiro/recipe"
	"tiro/train"
)

// Trained is a trained network with its card, whose ratings do not matter.
type Trained struct {
	Card    card.Card
	Weights *net.Weights
}

// Trained returns the network of the run's checkpoint.
func (r *Run) Trained() (t Trained, err error) {
	t.Card = r.card()
	t.Weights, err = net.ReadWeights(r.weights, r.Game.Spec())
	return t, err
}

// Config returns the configuration of a run that begins with the network, before any
// changes; see recipe.WarmConfig.
func (t Trained) Config() (recipe.Config, error) { return recipe.WarmConfig(t.origins()) }

// origins returns what a run goes on from that begins with the network.
func (t Trained) origins() []card.Origin {
	return append(slices.Clone(t.Card.Origins), card.Origin{
		Game: t.Card.Game, Generation: t.Card.Generation, Config: t.Card.Config, Network: &t.Card.Cost,
	})
}

// WarmStart makes the folder Options.Dir, which must not be there, of a new run that
// begins with a trained network instead of random weights. Unlike a Fork it needs no more
// of the run that trained the network than its card. Its generations, samples and steps
// count from 0, its window is empty, and its optimizer is new. The configuration is
// Trained.Config with any changes but those of the network; the game may be a variant.
// The folder appears complete or not at all.
func WarmStart(ctx context.Context, from Trained, o train.Options) error {
	if _, err := (disk.OS{}).Stat(o.Dir); err == nil {
		return fmt.Errorf("study: warm start: %s is there already; want a new folder", o.Dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("study: warm start: %w", err)
	}
	return train.WarmStart(ctx, o, from.Weights, from.origins())
}
