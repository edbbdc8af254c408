package models

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"tiro/disk"
	"tiro/env"
	"tiro/net"
)

// CheckedFile is what Check says of a file of a checkpoint.
type CheckedFile struct {
	Name  string
	Bytes int64
	Err   error // what is wrong with it; wraps fs.ErrNotExist if it is missing
}

// Checked is what Check found.
type Checked struct {
	Files      []CheckedFile // info.json first; if that cannot be read, it alone
	Info       Info          // if info.json is intact
	Checkpoint Checkpoint    // what the intact files hold, else zero
}

// Check reads every file of the checkpoint in the folder dir, whatever is wrong
// with the others.
func Check(fsys disk.FS, dir string, find env.Lookup) Checked {
	var c Checked
	add := func(name string, size int, err error) {
		c.Files = append(c.Files, CheckedFile{name, int64(size), err})
	}
	data, err := disk.ReadFile(fsys, filepath.Join(dir, InfoFile), maxJSON)
	if err == nil {
		c.Info, err = parseOwnInfo(data)
	}
	add(InfoFile, len(data), err)
	if err != nil {
		return c
	}
	c.Checkpoint.Generation, c.Checkpoint.Metrics = c.Info.Generation, c.Info.Metrics
	check := func(name string, parse func(data []byte) error) {
		data, err := readVerified(fsys, dir, name, c.Info)
		if err == nil {
			err = parse(data)
		}
		add(name, len(data), err)
	}
	check(WeightsFile, func(data []byte) (err error) {
		c.Checkpoint.Weights, err = parseWeights(data, c.Info, find)
		return err
	})
	check(OptimizerFile, func(data []byte) (err error) {
		c.Checkpoint.Optimizer, err = readOptimizer(data)
		return err
	})
	check(StateFile, func(data []byte) error {
		c.Checkpoint.State = bytes.TrimSpace(data)
		return nil
	})
	return c
}

// parseOwnInfo is parseInfo for a file that must be as Save wrote it: no checksum
// covers info.json, but the same content is always written in the same way.
func parseOwnInfo(data []byte) (Info, error) {
	info, err := parseInfo(data)
	if err != nil {
		return info, err
	}
	var written bytes.Buffer
	if err := writeJSON(&written, info); err != nil {
		return info, err
	}
	if !bytes.Equal(written.Bytes(), data) {
		return info, errors.New("it was not written like this; it is damaged or was edited")
	}
	for _, name := range []string{WeightsFile, OptimizerFile, StateFile} {
		if _, ok := info.Files[name]; !ok {
			return info, fmt.Errorf("does not name %s", name)
		}
	}
	return info, nil
}

// parseWeights reads weights and compares them with what info says of them.
func parseWeights(data []byte, info Info, find env.Lookup) (*net.Weights, error) {
	game, err := find(info.Game)
	if err != nil {
		return nil, err
	}
	spec := game.Spec()
	w, err := net.ReadWeights(data, spec)
	switch {
	case err != nil:
		return nil, err
	case info.GameVersion != spec.Version:
		return nil, fmt.Errorf("%s says version %d of %s; the weights are for version %d", InfoFile, info.GameVersion, info.Game, spec.Version)
	case info.Net != w.Config:
		return nil, fmt.Errorf("%s says that the network is %+v; it is %+v", InfoFile, info.Net, w.Config)
	case info.Parameters != w.Parameters():
		return nil, fmt.Errorf("%s says %d parameters; there are %d", InfoFile, info.Parameters, w.Parameters())
	}
	return w, nil
}
