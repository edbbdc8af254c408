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

// What a Place may be.
const (
	PlaceRun        = "run"
	PlaceCheckpoint = "checkpoint"
	PlaceWeights    = "weights"
	PlaceEpisodes   = "episodes"
)

// Place is what a path that a person named leads to.
type Place struct {
	Kind       string
	Path       string // of the run folder, the checkpoint's folder or the file
	Run        string // the run folder, if the path leads to one or to a checkpoint in one
	Generation int    // of the checkpoint that is meant, of a run the newest; -1 if there is none
}

// Resolve returns what a path leads to that a person named: a run folder, the
// folder of a checkpoint or a file in it, a weights file, or an episode file, which
// are known by the ends of their names.
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
	if what, ok := foreign[filepath.Ext(path)]; ok {
		return Place{}, fmt.Errorf("%s is %s; %s", path, what, wanted)
	}
	return Place{}, fmt.Errorf("%s: %s", path, wanted)
}

// foreign says, by the end of its name, what a file is that may be named instead
// of what it was made from.
var foreign = map[string]string{
	".onnx": "an ONNX export, which is not read back", ".yaml": "a configuration",
	".json": "a report or a card", ".jsonl": "a list of metrics or messages", ".md": "a text for people",
}

// checkpointAt returns the place of a checkpoint, with its run if it is in one.
func checkpointAt(path string, exists func(...string) bool) Place {
	p := Place{Kind: PlaceCheckpoint, Path: path, Generation: -1}
	full, err := filepath.Abs(path) // since path may be "."
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

// runAt returns the place of a run folder, whose configuration or checkpoints
// may be lost.
func runAt(fsys disk.FS, path string, exists func(...string) bool) (Place, error) {
	if !slices.ContainsFunc([]string{ConfigFile, CheckpointsDir, EpisodesDir, MetricsFile}, func(name string) bool { return exists(path, name) }) {
		if _, err := fsys.Stat(filepath.Join(path, ConfigFile)); !errors.Is(err, fs.ErrNotExist) {
			return Place{}, err // the folder cannot be searched
		}
		return Place{}, fmt.Errorf("%s: neither %s nor %s is there; %s", path, ConfigFile, CheckpointsDir, wanted)
	}
	p := Place{Kind: PlaceRun, Path: path, Run: path, Generation: -1}
	if generations, err := At(fsys, path).Store(env.Spec{}).List(); err == nil && len(generations) > 0 {
		p.Generation = generations[len(generations)-1]
	}
	return p, nil
}

// Runs returns the run folders in a folder, by name, and whether it is empty.
func Runs(fsys disk.FS, path string) (runs []string, empty bool) {
	entries, err := fsys.ReadDir(path)
	for _, e := range entries {
		if place, err := Resolve(fsys, filepath.Join(path, e.Name())); err == nil && place.Kind == PlaceRun {
			runs = append(runs, place.Path)
		}
	}
	return runs, err == nil && len(entries) == 0
}

const wanted = "want a run folder, a checkpoint, a weights file or an episode file"

// Network returns the path of what holds the network that is meant, for
// models.Open: the folder of a checkpoint, or a weights file.
func (p Place) Network() (string, error) {
	switch {
	case p.Kind == PlaceRun && p.Generation < 0:
		return "", fmt.Errorf("%s: no checkpoint; tiro train --run %s makes one", p.Path, p.Path)
	case p.Kind == PlaceRun:
		return At(nil, p.Path).Generation(p.Generation).Checkpoint(), nil
	case p.Kind == PlaceCheckpoint || p.Kind == PlaceWeights:
		return p.Path, nil
	}
	return "", fmt.Errorf("%s holds no network; want a run folder, a checkpoint or a weights file", p.Path)
}

// Follow has the place that a path leads to read. A run that trains may remove what is being
// read: then the place is resolved and read again.
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
