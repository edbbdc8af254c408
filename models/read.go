package models

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/net"
)

// Limits on file sizes in bytes. Memory is allocated for data that was read, not for sizes that a
// file claims.
const (
	maxJSON    = 1 << 20 // for info.json and state.json, which usually have some thousand bytes
	maxTensors = 4 << 30 // for weights and optimizer, which usually have some million bytes
)

// Open reads the network at path, which is the folder of a checkpoint or a weights file. It does
// not read the optimizer and the state of a checkpoint.
func Open(fsys disk.FS, path string, find env.Lookup) (w *net.Weights, info Info, err error) {
	stat, err := fsys.Stat(path)
	switch {
	case err != nil:
	case stat.IsDir():
		var spec env.Spec
		if info, spec, err = findInfo(fsys, path, find); err == nil {
			w, err = info.readWeights(fsys, path, spec)
		}
	default:
		w, info, err = openWeights(fsys, path, find)
	}
	if err != nil {
		return nil, Info{}, fmt.Errorf("models: open %s: %w", path, err)
	}
	return w, info, nil
}

// openWeights reads a weights file that is not part of a checkpoint.
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

// Read reads every file of the checkpoint in dir and verifies that they are as Save wrote them.
// The error lists every faulty file.
func Read(fsys disk.FS, dir string, find env.Lookup) (Checkpoint, Info, error) {
	info, spec, err := findInfo(fsys, dir, find)
	if err != nil {
		return Checkpoint{}, info, err
	}
	c, err := info.read(fsys, dir, spec)
	return c, info, err
}

// findInfo reads info.json of the checkpoint in dir and returns it with the game's spec.
func findInfo(fsys disk.FS, dir string, find env.Lookup) (Info, env.Spec, error) {
	info, err := readInfo(fsys, dir)
	if err != nil {
		return info, env.Spec{}, err
	}
	game, err := find(info.Game)
	if err != nil {
		return info, env.Spec{}, fmt.Errorf("%s: %w", filepath.Join(dir, InfoFile), err)
	}
	return info, game.Spec(), nil
}

// readInfo reads info.json of the checkpoint in dir. No checksum covers the file. Instead,
// readInfo encodes the content again, as Save does, and compares the bytes.
func readInfo(fsys disk.FS, dir string) (Info, error) {
	path := filepath.Join(dir, InfoFile)
	data, err := disk.ReadFile(fsys, path, maxJSON)
	if err != nil {
		return Info{}, err
	}
	info, err := parseInfo(data)
	var written bytes.Buffer
	if err == nil {
		err = format.EncodeJSON(&written, info)
	}
	if err == nil && !bytes.Equal(written.Bytes(), data) {
		err = errors.New("the file differs from what tiro writes: it is damaged or was edited")
	}
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", path, err)
	}
	return info, nil
}

func parseInfo(data []byte) (info Info, err error) {
	if err := format.CheckJSON(data, infoHeader); err != nil {
		return info, err
	}
	if err := format.DecodeStrict(data, &info); err != nil {
		return Info{}, fmt.Errorf("%w: the file is damaged", err)
	}
	return info, nil
}

// read reads the other files of the checkpoint in dir. spec describes the game.
func (i *Info) read(fsys disk.FS, dir string, spec env.Spec) (Checkpoint, error) {
	if n, ok := ParseGeneration(filepath.Base(dir)); ok && n != i.Generation {
		return Checkpoint{}, fmt.Errorf("%s: the folder has checkpoint %d and was renamed: rename it to %s", dir, i.Generation, FormatGeneration(i.Generation))
	}
	c := Checkpoint{Generation: i.Generation, Metrics: i.Metrics}
	var weights, optimizer, state error
	c.Weights, weights = i.readWeights(fsys, dir, spec)
	optimizer = i.readFile(fsys, dir, OptimizerFile, func(data []byte) (err error) {
		c.Optimizer, _, err = net.ReadTensors(data)
		return err
	})
	state = i.readFile(fsys, dir, StateFile, func(data []byte) error {
		c.State = bytes.TrimSpace(data)
		return nil
	})
	if err := errors.Join(weights, optimizer, state); err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

// readWeights reads the weights in dir and compares them with i.
func (i *Info) readWeights(fsys disk.FS, dir string, spec env.Spec) (w *net.Weights, err error) {
	err = i.readFile(fsys, dir, WeightsFile, func(data []byte) error {
		if w, err = net.ReadWeights(data, spec); err != nil {
			return err
		}
		switch {
		case i.GameVersion != spec.Version:
			return fmt.Errorf("the weights are for version %d of %s, but %s has version %d", spec.Version, i.Game, InfoFile, i.GameVersion)
		case i.Net != w.Config:
			return fmt.Errorf("the network is %+v, but %s has %+v", w.Config, InfoFile, i.Net)
		case i.Parameters != w.Parameters():
			return fmt.Errorf("the network has %d parameters, but %s has %d", w.Parameters(), InfoFile, i.Parameters)
		}
		return nil
	})
	return w, err
}

// readFile reads a file in dir and parses it if its length and checksum agree with i.
func (i *Info) readFile(fsys disk.FS, dir, name string, parse func(data []byte) error) error {
	path := filepath.Join(dir, name)
	want, ok := i.Files[name]
	if !ok {
		return fmt.Errorf("%s does not list %s", filepath.Join(dir, InfoFile), name)
	}
	stat, err := fsys.Stat(path)
	if err != nil {
		return err
	}
	if stat.Size() != want.Bytes {
		return fmt.Errorf("%s has %d bytes, but %d were written", path, stat.Size(), want.Bytes)
	}
	limit := int64(maxTensors)
	if name == StateFile {
		limit = maxJSON
	}
	data, err := disk.ReadFile(fsys, path, limit)
	if err != nil {
		return err
	}
	if Measure(data) != want {
		return fmt.Errorf("%s differs from its checksum in %s", path, InfoFile)
	}
	if err := parse(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
