package study

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
)

// Run is a training run up to one of its checkpoints.
type Run struct {
	Game       env.Game
	Config     recipe.Config
	Generation int           // of the checkpoint
	Origins    []card.Origin // that the run goes on from; see rundir.Folder.Origins

	find     env.Lookup
	text     string // of config.yaml
	store    *models.Store
	info     models.Info     // of the checkpoint
	weights  []byte          // the checkpoint's weights file
	progress []card.Progress // by generation, from 0

	unmeasured int          // generations whose evaluations or CPU time are not, or not all, known; with those before the run
	trained    card.Builder // the programs of the measured generations, and of those before the run
}

// Open reads the run at path, which is a run folder (its newest checkpoint is
// meant) or the folder of a checkpoint in one. The game is looked up by its game
// string with find, such as games.New.
func Open(path string, find env.Lookup) (*Run, error) {
	place, err := rundir.Resolve(disk.OS{}, path)
	if err != nil {
		return nil, err
	}
	if place.Run == "" {
		return nil, fmt.Errorf("%s is neither a run folder, with its %s, nor a checkpoint in one", path, rundir.ConfigFile)
	}
	if _, err := place.Network(); err != nil {
		return nil, err
	}
	if place.Generation == 0 {
		return nil, fmt.Errorf("%s: checkpoint 0 has learned nothing yet; want a later one", place.Run)
	}
	folder := rundir.At(disk.OS{}, place.Run)
	r := &Run{find: find, Generation: place.Generation}
	if r.Config, err = recipe.Read(folder); err != nil {
		return nil, err
	}
	text, err := disk.ReadFile(disk.OS{}, folder.Path(rundir.ConfigFile), card.MaxBytes)
	if err != nil {
		return nil, err
	}
	r.text = string(text)
	if r.Game, err = find(r.Config.Game); err != nil {
		return nil, fmt.Errorf("%s: game: %w", folder.Path(rundir.ConfigFile), err)
	}
	r.Config.Game = r.Game.Spec().Name
	r.store = folder.Store(r.Game.Spec())
	if _, r.info, err = r.open(r.Generation); err != nil {
		return nil, err
	}
	if r.weights, err = r.readWeights(); err != nil {
		return nil, err
	}
	if r.Origins, err = recipe.Origins(folder); err != nil {
		return nil, err
	}
	lines, err := folder.Metrics()
	if err != nil {
		return nil, err
	}
	if err := r.recount(lines); err != nil {
		return nil, fmt.Errorf("%s: %w", place.Run, err)
	}
	return r, nil
}

// open reads the network of a generation.
func (r *Run) open(generation int) (*net.Weights, models.Info, error) {
	dir := r.store.Dir(generation)
	w, info, err := models.Open(disk.OS{}, dir, r.find)
	switch {
	case err != nil:
		return nil, info, err
	case info.Generation != generation:
		return nil, info, fmt.Errorf("%s holds checkpoint %d; it was renamed", dir, info.Generation)
	case info.Game != r.Config.Game:
		return nil, info, fmt.Errorf("%s is for %s, but the run is of %s", dir, info.Game, r.Config.Game)
	}
	return w, info, nil
}

func (r *Run) readWeights() ([]byte, error) {
	path := filepath.Join(r.store.Dir(r.Generation), models.WeightsFile)
	want := r.info.Files[models.WeightsFile]
	data, err := disk.ReadFile(disk.OS{}, path, want.Bytes)
	if err == nil && models.Measure(data) != want {
		err = fmt.Errorf("%s: info.json is for other weights", path)
	}
	return data, err
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
		Net: r.info.Net, Parameters: r.info.Parameters, Weights: r.info.Files[models.WeightsFile],
		Ratings: []card.Result{}, Curve: []card.Point{},
		Config: r.text,
	}
}
