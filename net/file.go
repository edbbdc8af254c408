package net

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tiro/env"
	"tiro/format"
)

// fileHeader identifies weights files. Its version changes with the definition of the network,
// because the same weights then describe another network.
var fileHeader = format.Header{Format: 1, What: "tiro weights"}

// Keys of the metadata of a weights file, besides its header.
const (
	keyGame        = "game"
	keyGameVersion = "game_version"
	keyNet         = "net"
)

// Info describes the network in a weights file.
type Info struct {
	Game    string // canonical game string
	Version int    // version of the game's rules, observation and action layout
	Config  Config
}

// Metadata returns the metadata of a weights file.
func (w *Weights) Metadata() map[string]string {
	config, err := json.Marshal(w.Config)
	if err != nil {
		panic(err) // cannot fail: a struct of numbers
	}
	metadata := map[string]string{
		keyGame:        w.Spec.Name,
		keyGameVersion: strconv.Itoa(w.Spec.Version),
		keyNet:         string(config),
	}
	fileHeader.Put(metadata)
	return metadata
}

// Write writes the inference weights as a safetensors file, for ReadWeights and other programs.
func (w *Weights) Write(to io.Writer) error {
	return WriteTensors(to, w.Inference().tensors, w.Metadata())
}

// Checksum returns the SHA-256 of the weights file of w, in hexadecimal digits.
func (w *Weights) Checksum() (string, error) {
	digest := sha256.New()
	err := w.Write(digest)
	return hex.EncodeToString(digest.Sum(nil)), err
}

// ReadInfo returns the Info of a weights file without reading the weights.
func ReadInfo(data []byte) (Info, error) {
	info, err := readInfo(data)
	if err != nil {
		return Info{}, fmt.Errorf("net: read weights: %w", err)
	}
	return info, nil
}

func readInfo(data []byte) (info Info, err error) {
	_, metadata, _, err := decodeHeader(data)
	if err != nil {
		return info, err
	}
	if err := format.FromMetadata(metadata).Check(fileHeader); err != nil {
		return info, err
	}
	info.Game = metadata[keyGame]
	if info.Version, err = strconv.Atoi(metadata[keyGameVersion]); err != nil {
		return info, fmt.Errorf("metadata %s is %q, not a number", keyGameVersion, metadata[keyGameVersion])
	}
	if err = format.DecodeStrict([]byte(metadata[keyNet]), &info.Config); err == nil {
		err = info.Config.Validate()
	}
	if err != nil {
		return info, fmt.Errorf("metadata %s: %w", keyNet, err)
	}
	return info, nil
}

// ReadWeights reads a weights file for the game of spec. It rejects weights for another game or
// another version of the game, and files whose tensors do not match the network that they
// declare. The file may be from an untrusted source.
func ReadWeights(data []byte, spec env.Spec) (*Weights, error) {
	w, err := readWeights(data, spec)
	if err != nil {
		return nil, fmt.Errorf("net: read weights: %w", err)
	}
	return w, nil
}

func readWeights(data []byte, spec env.Spec) (*Weights, error) {
	info, err := readInfo(data)
	if err != nil {
		return nil, err
	}
	if info.Game != spec.Name {
		return nil, fmt.Errorf("the weights are for %q, not for %q", info.Game, spec.Name)
	}
	if info.Version != spec.Version {
		return nil, fmt.Errorf("the weights are for version %d of %s, but this program plays version %d", info.Version, spec.Name, spec.Version)
	}
	ts, _, err := ReadTensors(data)
	if err != nil {
		return nil, err
	}
	return assemble(spec, info.Config, ts)
}

// match reports every tensor of want that is missing from got or has another shape there, and
// every unknown tensor in got.
func match(got, want []Tensor) error {
	shapes := make(map[string][]int, len(got))
	for _, t := range got {
		shapes[t.Name] = t.Shape
	}
	var faults []error
	for _, t := range want {
		shape, ok := shapes[t.Name]
		delete(shapes, t.Name)
		switch {
		case !ok:
			faults = append(faults, fmt.Errorf("tensor %q is missing", t.Name))
		case !slices.Equal(shape, t.Shape):
			faults = append(faults, fmt.Errorf("tensor %q has shape %v, not %v", t.Name, shape, t.Shape))
		}
	}
	for _, t := range got {
		if _, left := shapes[t.Name]; left {
			faults = append(faults, fmt.Errorf("tensor %q is unknown", t.Name))
		}
	}
	return errors.Join(faults...)
}
