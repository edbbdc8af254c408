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

// Check reads every file of the checkpoint in the folder dir, more strictly than
// Store.Load. The error names each file that something is wrong with.
func Check(fsys disk.FS, dir string, find env.Lookup) (Checkpoint, Info, error) {
	info, err := readOwnInfo(fsys, dir)
	if err != nil {
		return Checkpoint{}, info, err
	}
	c := Checkpoint{Generation: info.Generation, Metrics: info.Metrics}
	var faults []error
	check := func(name string, parse func(data []byte) error) {
		data, err := readVerified(fsys, dir, name, info)
		if err == nil {
			if err = parse(data); err != nil {
				err = fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
			}
		}
		faults = append(faults, err)
	}
	check(WeightsFile, func(data []byte) (err error) {
		c.Weights, err = parseWeights(data, info, find)
		return err
	})
	check(OptimizerFile, func(data []byte) (err error) {
		c.Optimizer, err = readOptimizer(data)
		return err
	})
	check(StateFile, func(data []byte) error {
		c.State = bytes.TrimSpace(data)
		return nil
	})
	return c, info, errors.Join(faults...)
}

// readOwnInfo is readInfo for a file that must be as Save wrote it: no checksum
// covers info.json, but the same content is always written in the same way.
func readOwnInfo(fsys disk.FS, dir string) (Info, error) {
	info, err := readInfo(fsys, dir)
	if err != nil {
		return info, err
	}
	path := filepath.Join(dir, InfoFile)
	data, err := disk.ReadFile(fsys, path, maxJSON)
	if err != nil {
		return info, err
	}
	var written bytes.Buffer
	if err := writeJSON(&written, info); err != nil {
		return info, err
	}
	if !bytes.Equal(written.Bytes(), data) {
		return info, fmt.Errorf("%s: tiro does not write it like this; it is damaged or was edited", path)
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
