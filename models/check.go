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

// Part is a file of a checkpoint that Check has looked at.
type Part struct {
	Name  string
	Bytes int64
	Err   error // what is wrong with it; wraps fs.ErrNotExist if it is missing
}

// Checked is what Check found.
type Checked struct {
	Parts      []Part     // info.json first; if that is not to be read, it alone
	Info       Info       // if info.json is whole
	Checkpoint Checkpoint // of the parts that are whole, the others are zero
}

// Check looks at every file of the checkpoint in the folder dir, whatever is
// wrong with the others. The game is looked up by its game string with find.
func Check(fsys disk.FS, dir string, find env.Lookup) Checked {
	var c Checked
	data, err := disk.ReadFile(fsys, filepath.Join(dir, infoFile), maxJSON)
	if err == nil {
		c.Info, err = checkInfo(data)
	}
	c.add(infoFile, len(data), err)
	if err != nil {
		return c
	}
	c.Checkpoint.Generation, c.Checkpoint.Figures = c.Info.Generation, c.Info.Figures
	part := func(name string, read func(data []byte) error) {
		data, err := readChecked(fsys, dir, name, c.Info)
		if err == nil {
			err = read(data)
		}
		c.add(name, len(data), err)
	}
	part(weightsFile, func(data []byte) error {
		w, err := checkWeights(data, c.Info, find)
		c.Checkpoint.Weights = w
		return err
	})
	part(optimizerFile, func(data []byte) (err error) {
		c.Checkpoint.Optimizer, err = readOptimizer(data)
		return err
	})
	part(stateFile, func(data []byte) error {
		c.Checkpoint.State = bytes.TrimSpace(data)
		return nil
	})
	return c
}

func (c *Checked) add(name string, size int, err error) {
	c.Parts = append(c.Parts, Part{name, int64(size), err})
}

// checkInfo reads info.json more strictly than parseInfo: no checksum vouches
// for it, but there is only one way in which it is written.
func checkInfo(data []byte) (Info, error) {
	info, err := parseInfo(data)
	if err != nil {
		return info, err
	}
	var written bytes.Buffer
	if err := writeJSON(&written, info); err != nil {
		return info, err
	}
	if !bytes.Equal(written.Bytes(), data) {
		return info, errors.New("it says the same in other words than it was written in; it is damaged or was edited")
	}
	for _, name := range []string{weightsFile, optimizerFile, stateFile} {
		if _, ok := info.Files[name]; !ok {
			return info, fmt.Errorf("does not name %s", name)
		}
	}
	return info, nil
}

// checkWeights reads weights and compares them with what info says of them.
func checkWeights(data []byte, info Info, find env.Lookup) (*net.Weights, error) {
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
		return nil, fmt.Errorf("%s says version %d of %s; the weights are for version %d", infoFile, info.GameVersion, info.Game, spec.Version)
	case info.Net != w.Config:
		return nil, fmt.Errorf("%s says that the network is %+v; it is %+v", infoFile, info.Net, w.Config)
	case info.Parameters != w.Parameters():
		return nil, fmt.Errorf("%s says %d parameters; there are %d", infoFile, info.Parameters, w.Parameters())
	}
	return w, nil
}
