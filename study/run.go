package study

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
)

// Run is a training run up to one of its checkpoints.
type Run struct {
	Origin
	Origins []card.Origin // that the run goes on from; see recipe.Origins

	text     string          // of config.yaml
	info     models.Info     // of the checkpoint
	weights  []byte          // the checkpoint's weights file
	progress []card.Progress // by generation, from 0

	unmeasured int          // generations whose evaluations or CPU time are not, or not all, known; with those before the run
	trained    card.Builder // the programs of the measured generations, and of those before the run
}

// Open reads the run at path as OpenOrigin does, but for the state of the checkpoint, which
// must have learned.
func Open(path string, find env.Lookup) (r *Run, err error) {
	err = rundir.Follow(disk.OS{}, path, func(place rundir.Place) error {
		o, err := openOrigin(place, find)
		if err != nil {
			return err
		}
		r = &Run{Origin: *o}
		return r.read()
	})
	return r, err
}

// read reads the network of the checkpoint, and what the run took.
func (r *Run) read() error {
	if r.Generation == 0 {
		return fmt.Errorf("%s: checkpoint 0 has learned nothing yet; want a later one", r.folder.Path())
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
		return fmt.Errorf("%s holds checkpoint %d of %s; want %d of %s", dir, info.Generation, info.Game, r.Generation, r.Config.Game)
	}
	var data bytes.Buffer
	if err := weights.Write(&data); err != nil {
		return err
	}
	r.info, r.weights = info, data.Bytes()
	if r.Origins, err = recipe.Origins(r.folder); err != nil {
		return err
	}
	lines, err := r.folder.Metrics()
	if err != nil {
		return err
	}
	if err := r.recount(lines); err != nil {
		return fmt.Errorf("%s: %w", r.folder.Path(), err)
	}
	return nil
}

// recount fills in how far the run had come with each generation, and which
// programs trained it.
func (r *Run) recount(lines []rundir.Metrics) error {
	start := card.Start(r.Origins)
	var versions, backends []string
	if start.Generation > 0 {
		versions, backends = strings.Split(start.Trained.Tiro, separator), strings.Split(start.Trained.Backend, separator)
	}
	r.unmeasured, start.Generation = start.Unmeasured, 0
	r.progress = append(make([]card.Progress, 0, r.Generation+1), start.Progress)
	for _, m := range lines {
		last := r.progress[len(r.progress)-1]
		if m.Generation != last.Generation+1 || m.Generation > r.Generation {
			continue
		}
		next := card.Progress{
			Generation: m.Generation, Games: last.Games + m.Games, Samples: start.Samples + m.TotalSamples,
			Evaluations: last.Evaluations, CoreHours: last.CoreHours,
			SelfplayCoreHours: last.SelfplayCoreHours, LearnCoreHours: last.LearnCoreHours,
		}
		if !m.Machine.Covered() {
			r.unmeasured++
		}
		if m.Machine != nil {
			next.Evaluations += m.Machine.Evaluations
			next.CoreHours += m.Machine.CPUSeconds / time.Hour.Seconds()
			next.SelfplayCoreHours += m.Machine.SelfplayCPUSeconds / time.Hour.Seconds()
			next.LearnCoreHours += m.Machine.LearnCPUSeconds / time.Hour.Seconds()
			versions = append(versions, m.Machine.Tiro)
			backends = append(backends, m.Machine.Backend)
		}
		r.progress = append(r.progress, next)
	}
	if known := len(r.progress) - 1; known < r.Generation {
		return fmt.Errorf("metrics.jsonl has no generation %d; a card needs all up to %d", known+1, r.Generation)
	}
	r.trained = card.Builder{Tiro: distinct(versions), Backend: distinct(backends)}
	return nil
}

// distinct returns the different values in order of appearance, or "" if one was
// not recorded.
func distinct(values []string) string {
	if slices.Contains(values, "") {
		return ""
	}
	var all []string
	for _, v := range values {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return strings.Join(all, separator)
}

// separator stands between the values of distinct.
const separator = ", "

// card returns the card of the run, without ratings.
func (r *Run) card() card.Card {
	return card.Card{
		Game: r.Config.Game, GameVersion: r.info.GameVersion,
		Seed: r.Config.Seed, Cost: card.Cost{Progress: r.progress[r.Generation], Unmeasured: r.unmeasured, Trained: r.trained}, Origins: r.Origins,
		Net: r.info.Net, Parameters: r.info.Parameters, Weights: models.Measure(r.weights),
		Ratings: []card.Result{}, Curve: []card.Point{},
		Config: r.text,
	}
}
