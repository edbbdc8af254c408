package models

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/net"
)

// checkpointsDir is the folder of a run folder that its Store is in.
const checkpointsDir = "checkpoints"

// ErrNone is wrapped by Open for a run folder that has no checkpoint yet.
var ErrNone = errors.New("no checkpoint")

// Folder returns what folders of runs and models for a game are called, another
// name for every choice of options: pacru, pacru-players=3. The game string must
// be canonical.
func Folder(game string) string { return strings.Replace(game, ":", "-", 1) }

// Open reads the network at path, which is a run folder (its newest
// checkpoint is meant), the folder of one checkpoint, or a weights file. The
// game it is for is looked up by its game string with find, such as
// games.New.
func Open(path string, find env.Lookup) (*net.Weights, Info, error) {
	w, info, err := open(disk.OS{}, path, find)
	if err != nil {
		return nil, Info{}, fmt.Errorf("models: open %s: %w", path, err)
	}
	return w, info, nil
}

func open(fsys disk.FS, path string, find env.Lookup) (*net.Weights, Info, error) {
	stat, err := fsys.Stat(path)
	if err != nil {
		return nil, Info{}, err
	}
	if !stat.IsDir() {
		return openFile(fsys, path, find)
	}
	dir, err := checkpointIn(fsys, path)
	if err != nil {
		return nil, Info{}, err
	}
	info, err := readInfo(fsys, dir)
	if err != nil {
		return nil, Info{}, err
	}
	game, err := find(info.Game)
	if err != nil {
		return nil, Info{}, fmt.Errorf("%s: %w", dir, err)
	}
	w, err := loadWeights(fsys, dir, info, game.Spec())
	return w, info, err
}

// checkpointIn returns the checkpoint folder that a person means by dir.
func checkpointIn(fsys disk.FS, dir string) (string, error) {
	if _, err := fsys.Stat(filepath.Join(dir, infoFile)); err == nil {
		return dir, nil
	}
	checkpoints := filepath.Join(dir, checkpointsDir)
	generations, err := list(fsys, checkpoints)
	if err != nil {
		return "", err
	}
	if len(generations) == 0 {
		return "", fmt.Errorf("%w: neither %s nor %s/000000 is there; want a run folder, a checkpoint or a weights file", ErrNone, infoFile, checkpointsDir)
	}
	return NewStore(fsys, checkpoints, env.Spec{}).Dir(generations[len(generations)-1]), nil
}

// openFile reads a weights file that lies alone.
func openFile(fsys disk.FS, path string, find env.Lookup) (*net.Weights, Info, error) {
	data, err := disk.ReadFile(fsys, path, maxTensors)
	if err != nil {
		return nil, Info{}, err
	}
	told, err := net.ReadInfo(data)
	if err != nil {
		return nil, Info{}, err
	}
	game, err := find(told.Game)
	if err != nil {
		return nil, Info{}, err
	}
	w, err := net.ReadWeights(data, game.Spec())
	if err != nil {
		return nil, Info{}, err
	}
	info := newInfo(Checkpoint{Generation: -1, Weights: w})
	return w, *info, nil
}

// loadWeights reads the weights of the checkpoint in dir for the game of spec.
func loadWeights(fsys disk.FS, dir string, info Info, spec env.Spec) (*net.Weights, error) {
	data, err := readChecked(fsys, dir, weightsFile, info)
	if err != nil {
		return nil, err
	}
	w, err := net.ReadWeights(data, spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, weightsFile), err)
	}
	return w, nil
}
