package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/net"
)

// ErrNoCheckpoint is wrapped by Place.Network for a run folder without a checkpoint.
var ErrNoCheckpoint = errors.New("no checkpoint")

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
// folder of a checkpoint or a file in it, a weights file, or an episode file.
func Resolve(fsys disk.FS, path string) (Place, error) {
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
	kind, err := fileKind(fsys, path)
	return Place{Kind: kind, Path: path, Generation: -1}, err
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
		return Place{}, fmt.Errorf("%s: neither %s nor %s is there; %s", path, ConfigFile, CheckpointsDir, wanted)
	}
	p := Place{Kind: PlaceRun, Path: path, Run: path, Generation: -1}
	if generations, err := At(fsys, path).Store(env.Spec{}).List(); err == nil && len(generations) > 0 {
		p.Generation = generations[len(generations)-1]
	}
	return p, nil
}

const wanted = "want a run folder, a checkpoint, a weights file or an episode file"

// zstdMagic begins every episode file (RFC 8878, section 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

func fileKind(fsys disk.FS, path string) (string, error) {
	if filepath.Ext(path) == filepath.Ext(models.WeightsFile) {
		return PlaceWeights, nil
	}
	file, err := fsys.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	begin := make([]byte, len(zstdMagic))
	if _, err := io.ReadFull(file, begin); err != nil || !bytes.Equal(begin, zstdMagic) {
		return "", fmt.Errorf("%s: %s", path, wanted)
	}
	return PlaceEpisodes, nil
}

// Network returns the path of what holds the network that is meant, for
// models.Open: the folder of a checkpoint, or a weights file.
func (p Place) Network() (string, error) {
	switch {
	case p.Kind == PlaceRun && p.Generation < 0:
		return "", fmt.Errorf("%s: %w; tiro train --run %s makes one", p.Path, ErrNoCheckpoint, p.Path)
	case p.Kind == PlaceRun:
		return At(nil, p.Path).Generation(p.Generation).Checkpoint(), nil
	case p.Kind == PlaceCheckpoint || p.Kind == PlaceWeights:
		return p.Path, nil
	}
	return "", fmt.Errorf("%s holds no network; want a run folder, a checkpoint or a weights file", p.Path)
}

// OpenNetwork reads the network of a run folder, a checkpoint or a weights file.
func OpenNetwork(fsys disk.FS, path string, find env.Lookup) (*net.Weights, models.Info, error) {
	place, err := Resolve(fsys, path)
	if err == nil {
		path, err = place.Network()
	}
	if err != nil {
		return nil, models.Info{}, err
	}
	return models.Open(fsys, path, find)
}
