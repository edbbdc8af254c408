package study

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/net"
	"tiro/networks"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// Trained is a trained network with its card, whose ratings are ignored.
type Trained struct {
	Card    card.Card
	Weights *net.Weights

	name     string        // for errors
	averaged []card.Origin // checkpoints of the other networks; see Average
}

// Trained returns the network of the run's checkpoint.
func (r *Run) Trained() (t Trained, err error) {
	t.Card = r.card()
	t.Weights, err = net.ReadWeights(r.weights, r.Game.Spec())
	return t, err
}

// OpenTrained returns the network with the given name: a bundled model, the folder of a model,
// as written by tiro rate --card or, if run is set, a run or a checkpoint, as for Open. It
// returns nil for anything else.
func OpenTrained(name string, run bool, find env.Lookup) (*Trained, error) {
	path, err := disk.Path(name)
	if err != nil {
		return nil, err
	}
	var model bundled.Model
	_, none := os.Stat(filepath.Join(path, card.File))
	_, noRun := os.Stat(filepath.Join(path, rundir.ConfigFile)) // the card of a run may be in its folder
	switch {
	case name == networks.Bundled:
		return nil, networks.ErrNoGame
	case networks.IsBundled(name):
		var game env.Game
		if game, err = find(strings.TrimPrefix(name, networks.Bundled+":")); err == nil {
			model, err = networks.FindBundled(game)
		}
	case none == nil && noRun != nil:
		if model, err = bundled.Open(os.DirFS(path)); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	case run:
		r, err := Open(path, find)
		if err != nil {
			return nil, err
		}
		t, err := r.Trained()
		t.name = name
		return &t, err
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	game, err := find(model.Card.Game)
	if err != nil {
		return nil, err
	}
	weights, err := model.Weights(game.Spec())
	return &Trained{Card: model.Card, Weights: weights, name: name}, err
}

// Average returns the network with the mean weights of t and others (Wortsman et al. 2022). They
// must have been trained by runs that began with the same network: only then do their weights
// correspond. Of its card, only the cost and the origins describe the new network.
func (t Trained) Average(others []*Trained) (Trained, error) {
	origins := t.Card.Origins
	start := card.Start(origins)
	all := []*net.Weights{t.Weights}
	for _, o := range others {
		if last := len(origins) - 1; last < 0 || origins[last].Network == nil || !reflect.DeepEqual(o.Card.Origins, origins) {
			return t, fmt.Errorf("study: average: %s and %s are not warm starts of the same network", t.name, o.name)
		}
		if o.Weights.Spec.Name != t.Weights.Spec.Name || o.Weights.Config != t.Weights.Config {
			return t, fmt.Errorf("study: average: the networks of %s and %s differ: %s, %+v and %s, %+v", t.name, o.name, t.Weights.Spec.Name, t.Weights.Config, o.Weights.Spec.Name, o.Weights.Config)
		}
		t.Card.Cost.Add(o.Card.Cost, start)
		t.averaged = append(t.averaged, card.Origin{Game: o.Card.Game, Generation: o.Card.Generation, Config: o.Card.Config})
		all = append(all, o.Weights)
	}
	t.Weights = t.Weights.Clone()
	mean := t.Weights.Flat()
	for i := range mean {
		sum := 0.0
		for _, w := range all {
			sum += float64(w.Flat()[i])
		}
		mean[i] = float32(sum / float64(len(all)))
	}
	return t, nil
}

// Config returns the configuration of a run that begins with the network, before any
// changes; see recipe.WarmConfig.
func (t Trained) Config() (recipe.Config, error) { return recipe.WarmConfig(t.origins()) }

// origins returns the origins of a run that begins with the network.
func (t Trained) origins() []card.Origin {
	return append(slices.Clone(t.Card.Origins), card.Origin{
		Game: t.Card.Game, Generation: t.Card.Generation, Config: t.Card.Config, Network: &t.Card.Cost, Averaged: t.averaged,
	})
}

// WarmStart creates the folder Options.Dir, which must not exist, of a new run that begins
// with a trained network instead of random weights. Unlike a Fork it requires only the card of
// the run that trained the network. Its generations, samples and steps count from 0, its
// window is empty, and its optimizer is new. The configuration is Trained.Config, with any
// changes except of the network; the game may be a variant, also with a grid of another size.
// The folder is created atomically.
//
// from is nil for random weights. games are the games of generation 1, nil if the run plays
// them.
func WarmStart(ctx context.Context, from *Trained, games *recipe.Given, o train.Options) error {
	if err := free(o.Dir); err != nil {
		return fmt.Errorf("study: warm start: %w", err)
	}
	b := train.Beginning{Games: games}
	if from != nil {
		b.Weights, b.Origins = from.Weights, from.origins()
	}
	return train.WarmStart(ctx, o, b)
}
