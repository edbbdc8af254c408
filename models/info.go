package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strings"

	"tiro/format"
	"tiro/net"
)

// Headers of the files of a checkpoint. Weights have that of package net, and
// the state has that of its owner.
var (
	infoHeader = format.Header{Format: 3, What: "tiro checkpoint"}
)

// Info describes a checkpoint: the file info.json. Of a weights file alone only
// the game and the network are known.
type Info struct {
	format.Header
	Game        string          `json:"game"`              // canonical game string
	GameVersion int             `json:"game_version"`      // version of the game's rules, observation and actions
	Generation  int             `json:"generation"`        // generation of the checkpoint; -1 for a weights file alone
	Net         net.Config      `json:"net"`               // shape of the network
	Parameters  int             `json:"parameters"`        // number of parameters
	Metrics     json.RawMessage `json:"metrics,omitempty"` // the generation's line of metrics without machine; absent in generation 0
	Files       map[string]File `json:"files"`             // bytes and sha256 of each other file
}

// File is the length and the checksum of a file.
type File struct {
	Bytes  int64  `json:"bytes"`  // length
	SHA256 string `json:"sha256"` // SHA-256, hexadecimal
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

// measurer is a writer that measures what is written.
type measurer struct {
	bytes int64
	hash  hash.Hash // sha256.New()
}

func (m *measurer) Write(p []byte) (int, error) {
	m.bytes += int64(len(p))
	return m.hash.Write(p)
}

// File returns the measure of everything written so far.
func (m *measurer) File() File {
	return File{Bytes: m.bytes, SHA256: hex.EncodeToString(m.hash.Sum(nil))}
}

// Folder returns the name of folders of runs and models for a game, which
// differs for every choice of options: pacru, pacru-players=3. The game string
// must be canonical.
func Folder(game string) string { return strings.Replace(game, ":", "-", 1) }
