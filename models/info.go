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

// infoHeader is the header of info.json. The weights have the header of package net, and the state
// has a header of its owner.
var infoHeader = format.Header{Format: 3, What: "tiro checkpoint"}

// Info describes a checkpoint. It is the file info.json. For a weights file alone, it holds the
// game and the network only.
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

// File is the length and checksum of a file.
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

// measurer is a writer that computes the File of the data written to it.
type measurer struct {
	bytes int64
	hash  hash.Hash // sha256.New()
}

func (m *measurer) Write(p []byte) (int, error) {
	m.bytes += int64(len(p))
	return m.hash.Write(p)
}

// File returns the File of the data written so far.
func (m *measurer) File() File {
	return File{Bytes: m.bytes, SHA256: hex.EncodeToString(m.hash.Sum(nil))}
}

// Folder returns the name of the folder for runs and models of a game, such as "pacru" or
// "pacru-players=3". It differs for each set of options if the game string is canonical.
func Folder(game string) string { return strings.Replace(game, ":", "-", 1) }
