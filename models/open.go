package models

import (
	"fmt"
	"path/filepath"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/net"
)

// Folder returns the name of folders of runs and models for a game, which
// differs for every choice of options: pacru, pacru-players=3. The game string
// must be canonical.
func Folder(game string) string { return strings.Replace(game, ":", "-", 1) }

// Open reads the network at path, which is the folder of a checkpoint or a
// weights file. The optimizer and the state of a checkpoint are not read.
func Open(fsys disk.FS, path string, find env.Lookup) (*net.Weights, Info, error) {
	stat, err := fsys.Stat(path)
	var w *net.Weights
	var info Info
	switch {
	case err != nil:
	case stat.IsDir():
		w, info, err = openCheckpoint(fsys, path, find)
	default:
		w, info, err = openWeights(fsys, path, find)
	}
	if err != nil {
		return nil, Info{}, fmt.Errorf("models: open %s: %w", path, err)
	}
	return w, info, nil
}

func openCheckpoint(fsys disk.FS, dir string, find env.Lookup) (*net.Weights, Info, error) {
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

// openWeights reads a weights file without a checkpoint around it.
func openWeights(fsys disk.FS, path string, find env.Lookup) (*net.Weights, Info, error) {
	data, err := disk.ReadFile(fsys, path, maxTensors)
	if err != nil {
		return nil, Info{}, err
	}
	header, err := net.ReadInfo(data)
	if err != nil {
		return nil, Info{}, err
	}
	game, err := find(header.Game)
	if err != nil {
		return nil, Info{}, err
	}
	w, err := net.ReadWeights(data, game.Spec())
	if err != nil {
		return nil, Info{}, err
	}
	return w, *newInfo(Checkpoint{Generation: -1, Weights: w}), nil
}

// loadWeights reads the weights of the checkpoint in dir for the game of spec.
func loadWeights(fsys disk.FS, dir string, info Info, spec env.Spec) (*net.Weights, error) {
	data, err := readVerified(fsys, dir, WeightsFile, info)
	if err != nil {
		return nil, err
	}
	w, err := net.ReadWeights(data, spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, WeightsFile), err)
	}
	return w, nil
}
