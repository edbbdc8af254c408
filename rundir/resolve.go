package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/net"
)

// Kinds of a Place.
const (
	PlaceRun        = "run"
	PlaceCheckpoint = "checkpoint"
	PlaceWeights    = "weights"
	PlaceEpisodes   = "episodes"
)

// Place is the run, checkpoint or file that a path from the user leads to.
type Place struct {
	Kind       string
	Path       string // path of the run folder, the checkpoint's folder or the file
	Run        string // the run folder, if the path leads to a run or to a checkpoint in one
	Generation int    // generation of the checkpoint or of the run's newest checkpoint; -1 if there is none
}

// Resolve returns the place that a path from the user leads to: a run folder, the folder of a
// checkpoint or a file in it, a weights file, or an episode file. It recognises files by their
// names.
func Resolve(fsys disk.FS, path string) (Place, error) {
	path, err := disk.Path(path)
	if err != nil {
		return Place{}, err
	}
	info, err := fsys.Stat(path)
	if err != nil {
		return Place{}, err
	}
	exists := func(names ...string) bool {
		_, err := fsys.Stat(filepath.Join(names...))
		return err == nil
	}
	dir := filepath.Dir(path)
	switch {
	case info.IsDir() && exists(path, models.InfoFile):
		return checkpointAt(path, exists), nil
	case info.IsDir():
		return runAt(fsys, path, exists)
	case !info.Mode().IsRegular():
		return Place{}, fmt.Errorf("%s is neither a file nor a folder", path)
	case slices.Contains(models.Files[:], filepath.Base(path)) && exists(dir, models.InfoFile):
		return checkpointAt(dir, exists), nil
	}
	switch filepath.Ext(path) {
	case filepath.Ext(models.WeightsFile):
		return Place{Kind: PlaceWeights, Path: path, Generation: -1}, nil
	case filepath.Ext(completeSuffix), partialSuffix:
		return Place{Kind: PlaceEpisodes, Path: path, Generation: -1}, nil
	}
	if kind, ok := foreign[filepath.Ext(path)]; ok {
		return Place{}, fmt.Errorf("%s is %s, not %s", path, kind, wanted)
	}
	return Place{}, fmt.Errorf("%s is not %s", path, wanted)
}

// foreign describes other files that a user may name by mistake, by the extension of their names.
var foreign = map[string]string{
	".onnx": "an ONNX export, which tiro cannot read", ".yaml": "a configuration",
	".json": "a report or a card", ".jsonl": "a list of metrics or messages", ".md": "a text",
}

// checkpointAt returns the place of a checkpoint, with its run if it belongs to one.
func checkpointAt(path string, exists func(...string) bool) Place {
	p := Place{Kind: PlaceCheckpoint, Path: path, Generation: -1}
	full, err := filepath.Abs(path) // path may be "."
	if err != nil {
		return p
	}
	if n, ok := models.ParseGeneration(filepath.Base(full)); ok {
		p.Generation = n
		if run := filepath.Join(path, "..", ".."); filepath.Base(filepath.Dir(full)) == CheckpointsDir && exists(run, ConfigFile) {
			p.Run = run
		}
	}
	return p
}

// runAt returns the place of a run folder, which may lack its configuration or its checkpoints.
func runAt(fsys disk.FS, path string, exists func(...string) bool) (Place, error) {
	if !slices.ContainsFunc([]string{ConfigFile, CheckpointsDir, EpisodesDir, MetricsFile}, func(name string) bool { return exists(path, name) }) {
		if _, err := fsys.Stat(filepath.Join(path, ConfigFile)); !errors.Is(err, fs.ErrNotExist) {
			return Place{}, err // the folder cannot be searched
		}
		if exists(path, models.WeightsFile) { // a model's folder
			return Place{}, fmt.Errorf("%s is not %s: name the file, %s", path, wanted, filepath.Join(path, models.WeightsFile))
		}
		return Place{}, fmt.Errorf("%s is not %s: it has neither %s nor %s", path, wanted, ConfigFile, CheckpointsDir)
	}
	p := Place{Kind: PlaceRun, Path: path, Run: path, Generation: -1}
	if generations, err := At(fsys, path).Store(env.Spec{}).List(); err == nil && len(generations) > 0 {
		p.Generation = generations[len(generations)-1]
	}
	return p, nil
}

// Runs returns the run folders in a folder, ordered by name, and whether the folder is empty.
func Runs(fsys disk.FS, path string) (runs []string, empty bool) {
	entries, err := fsys.ReadDir(path)
	for _, e := range entries {
		if place, err := Resolve(fsys, filepath.Join(path, e.Name())); err == nil && place.Kind == PlaceRun {
			runs = append(runs, place.Path)
		}
	}
	return runs, err == nil && len(entries) == 0
}

const wanted = "a run folder, a checkpoint, a weights file or an episode file"

// Network returns the path of the place's network for models.Open: the folder of a checkpoint, or
// a weights file.
func (p Place) Network() (string, error) {
	switch {
	case p.Kind == PlaceRun && p.Generation < 0:
		return "", fmt.Errorf("%s has no checkpoint: tiro train --run %s makes one", p.Path, p.Path)
	case p.Kind == PlaceRun:
		return At(nil, p.Path).Generation(p.Generation).Checkpoint(), nil
	case p.Kind == PlaceCheckpoint || p.Kind == PlaceWeights:
		return p.Path, nil
	}
	return "", fmt.Errorf("%s has no network: name a run folder, a checkpoint or a weights file", p.Path)
}

// Follow resolves path and calls read. If a file is missing, a training run may have removed it
// meanwhile: then Follow resolves the path again and, if it leads to another place, calls read
// again.
func Follow(fsys disk.FS, path string, read func(Place) error) error {
	place, err := Resolve(fsys, path)
	if err != nil {
		return err
	}
	for {
		err := read(place)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		now, resolveErr := Resolve(fsys, path)
		if resolveErr != nil || now == place {
			return err
		}
		place = now
	}
}

// OpenNetwork reads the network of a run folder, a checkpoint or a weights file.
func OpenNetwork(fsys disk.FS, path string, find env.Lookup) (w *net.Weights, info models.Info, err error) {
	err = Follow(fsys, path, func(place Place) error {
		network, err := place.Network()
		if err == nil {
			w, info, err = models.Open(fsys, network, find)
		}
		return err
	})
	return w, info, err
}
