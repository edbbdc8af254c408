package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"path/filepath"

	"tiro/disk"
	"tiro/format"
	"tiro/net"
)

// Headers of the files of a checkpoint. Weights have that of package net, and
// the state has that of its owner.
var (
	infoHeader      = format.Header{Format: 2, What: "tiro checkpoint"}
	optimizerHeader = format.Header{Format: 1, What: "tiro optimizer"}
)

// Bounds of files, in bytes. Memory follows what is there, not what is claimed.
const (
	maxJSON    = 1 << 20 // of info.json and state.json; ours take some thousands
	maxTensors = 4 << 30 // of weights and optimizer; ours take some millions
)

// Info describes a checkpoint: the file info.json. Of a weights file alone only
// the game and the network are known.
type Info struct {
	format.Header
	Game        string          `json:"game"`         // canonical game string
	GameVersion int             `json:"game_version"` // of its rules, observation and action layout
	Generation  int             `json:"generation"`   // -1 for a weights file alone
	Net         net.Config      `json:"net"`
	Parameters  int             `json:"parameters"` // how many numbers the network has
	Metrics     json.RawMessage `json:"metrics,omitempty"`
	Files       map[string]File `json:"files"` // the other files of the checkpoint
}

// File is the length and the checksum of a file.
type File struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// Measure returns the File of data.
func Measure(data []byte) File {
	sum := sha256.Sum256(data)
	return File{Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
}

func newInfo(c Checkpoint) *Info {
	return &Info{
		Header:      infoHeader,
		Game:        c.Weights.Spec.Name,
		GameVersion: c.Weights.Spec.Version,
		Generation:  c.Generation,
		Net:         c.Weights.Config,
		Parameters:  c.Weights.Parameters(),
		Metrics:     c.Metrics,
		Files:       map[string]File{},
	}
}

// readInfo reads info.json of the checkpoint in the folder dir.
func readInfo(fsys disk.FS, dir string) (Info, error) {
	path := filepath.Join(dir, InfoFile)
	data, err := disk.ReadFile(fsys, path, maxJSON)
	if err != nil {
		return Info{}, err
	}
	info, err := parseInfo(data)
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", path, err)
	}
	return info, nil
}

func parseInfo(data []byte) (Info, error) {
	if err := format.CheckJSON(data, infoHeader); err != nil {
		return Info{}, err
	}
	var info Info
	if err := format.DecodeStrict(data, &info); err != nil {
		return Info{}, fmt.Errorf("%w; it is damaged", err)
	}
	return info, nil
}

// readVerified reads a file of the checkpoint in dir and checks that its length
// and its checksum are those in info.
func readVerified(fsys disk.FS, dir, name string, info Info) ([]byte, error) {
	path := filepath.Join(dir, name)
	want, ok := info.Files[name]
	if !ok {
		return nil, fmt.Errorf("%s: does not name %s", filepath.Join(dir, InfoFile), name)
	}
	stat, err := fsys.Stat(path)
	if err != nil {
		return nil, err
	}
	if stat.Size() != want.Bytes {
		return nil, fmt.Errorf("%s: %d bytes, but %d were written; the file is damaged", path, stat.Size(), want.Bytes)
	}
	limit := int64(maxTensors)
	if name == StateFile {
		limit = maxJSON
	}
	data, err := disk.ReadFile(fsys, path, limit)
	if err != nil {
		return nil, err
	}
	if Measure(data) != want {
		return nil, fmt.Errorf("%s: the checksum differs from the one in %s; the file is damaged", path, InfoFile)
	}
	return data, nil
}

// measurer is a writer that measures what is written.
type measurer struct {
	bytes int64
	hash  hash.Hash
}

func newMeasurer() *measurer { return &measurer{hash: sha256.New()} }

func (m *measurer) Write(p []byte) (int, error) {
	m.bytes += int64(len(p))
	return m.hash.Write(p)
}

// File returns the measure of everything written so far.
func (m *measurer) File() File {
	return File{Bytes: m.bytes, SHA256: hex.EncodeToString(m.hash.Sum(nil))}
}
