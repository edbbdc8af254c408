package study

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/ladder"
)

// Run is a training run up to one of its checkpoints.
type Run struct {
	Origin
	Origins []card.Origin // runs and models that it continues; see recipe.Origins

	text    string      // content of config.yaml
	info    models.Info // description of the checkpoint
	weights []byte      // the checkpoint's weights file
	costs   []card.Cost // by generation, from 0
}

// Open reads the run at path like OpenOrigin, but without the State. It returns an error for
// random weights.
func Open(path string, find env.Lookup) (r *Run, err error) {
	err = follow(path, find, func(from *Origin) error {
		r = &Run{Origin: *from}
		return r.read()
	})
	return r, err
}

// read reads the network of the checkpoint and the costs of the run.
func (r *Run) read() error {
	var err error
	if r.Origins, err = recipe.Origins(r.folder); err != nil {
		return err
	}
	if r.Generation+card.Before(r.Origins) == 0 {
		return fmt.Errorf("%s: checkpoint 0 has learned nothing yet; use a later one", r.folder.Path())
	}
	text, err := r.folder.ReadFile(rundir.ConfigFile, card.MaxBytes)
	if err != nil {
		return err
	}
	r.text = string(text)
	dir := r.folder.Generation(r.Generation).Checkpoint()
	weights, info, err := models.Open(disk.OS{}, dir, r.find)
	switch {
	case err != nil:
		return err
	case info.Generation != r.Generation || info.Game != r.Config.Game:
		return fmt.Errorf("%s holds checkpoint %d of %s instead of %d of %s", dir, info.Generation, info.Game, r.Generation, r.Config.Game)
	}
	var data bytes.Buffer
	if err := weights.Write(&data); err != nil {
		return err
	}
	r.info, r.weights = info, data.Bytes()
	lines, err := r.folder.Metrics()
	if err != nil && (r.Generation > 0 || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	return r.count(lines)
}

// count sets the costs of the run.
func (r *Run) count(metrics []rundir.Metrics) error {
	r.costs = ladder.Costs(card.Start(r.Origins), metrics)
	if known := len(r.costs) - 1; known < r.Generation {
		return fmt.Errorf("%s has no generation %d, but a card requires all up to %d", r.folder.Path(rundir.MetricsFile), known+1, r.Generation)
	}
	return nil
}

// card returns the card of the run, without ratings.
func (r *Run) card() card.Card {
	return card.Card{
		Game: r.Config.Game, GameVersion: r.info.GameVersion,
		Seed: r.Config.Seed, Cost: r.costs[r.Generation], Origins: r.Origins,
		Net: r.info.Net, Parameters: r.info.Parameters, Weights: models.Measure(r.weights),
		Ratings: []card.Result{}, Curve: []card.Point{},
		Config: r.text,
	}
}
