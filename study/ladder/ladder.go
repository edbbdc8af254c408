package ladder

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"tiro/env"
	"tiro/format"
	"tiro/models"
	"tiro/player"
)

// File is the name of a ladder in its folder.
const File = "ladder.json"

// Ladder consists of reference players of a game and their results against each other. It is
// stored as ladder.json.
type Ladder struct {
	Game        string        `json:"game"` // canonical game string
	GameVersion int           `json:"game_version"`
	Tiro        string        `json:"tiro"`    // version of the program that played
	Backend     string        `json:"backend"` // kind of the backend that computed the networks: "fma", "go", or the device and its driver
	Opening     int           `json:"opening"` // random actions at the start of each game
	Anchor      string        `json:"anchor"`  // label of the reference whose rating is 0
	Players     []player.Spec `json:"players"` // the references
	Matches     []Match       `json:"matches"`

	files fs.FS // its folder, with NAME.safetensors for the networks that are not bundled
}

// Match holds the results of two references against each other.
type Match struct {
	A     string `json:"a"` // label of the player on one seat
	B     string `json:"b"` // label of the player on the others
	Games Games  `json:"games"`
}

// shipped holds the folders of the shipped ladders, named like the default run folders
// of their games.
//
//go:embed ladders/*/*
var shipped embed.FS

// A game without a ladder has defaultAnchor as its only reference, and games with
// defaultOpening random actions at the start.
const (
	defaultAnchor  = "mcts:200"
	defaultOpening = 4
)

// defaultPlayers are the references of a game without a ladder.
func defaultPlayers() []player.Spec {
	return []player.Spec{{Kind: player.MCTS, Budget: player.Budget{Simulations: 200}}}
}

// Find returns the shipped ladder of a game. If there is none, it returns a ladder with a
// single reference.
func Find(game env.Game) (*Ladder, error) {
	spec := game.Spec()
	folder, err := fs.Sub(shipped, path.Join("ladders", models.Folder(spec.Name)))
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	data, err := fs.ReadFile(folder, File)
	if errors.Is(err, fs.ErrNotExist) {
		return &Ladder{
			Game: spec.Name, GameVersion: spec.Version, Opening: min(defaultOpening, spec.MaxPlies/2),
			Anchor: defaultAnchor, Players: defaultPlayers(),
		}, nil
	}
	l := &Ladder{files: folder}
	if err == nil {
		err = format.DecodeStrict(data, l)
	}
	switch {
	case err != nil:
	case l.Game != spec.Name || l.GameVersion != spec.Version:
		err = fmt.Errorf("it is for version %d of %.60q, not version %d of %q", l.GameVersion, l.Game, spec.Version, spec.Name)
	case l.index(l.Anchor) < 0:
		err = fmt.Errorf("anchor %.60q is not among the players", l.Anchor)
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %s: %w", spec.Name, err)
	}
	return l, nil
}

// index returns the index of a reference in Players, or -1.
func (l *Ladder) index(name string) int {
	return slices.IndexFunc(l.Players, func(p player.Spec) bool { return p.Label() == name })
}
