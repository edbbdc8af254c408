package ladder

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"tiro/env"
	"tiro/format"
	"tiro/models/card"
)

// File is the name of a ladder in its folder.
const File = "ladder.json"

// fileHeader is the header of ladder.json.
var fileHeader = format.Header{Format: 1, What: "tiro ladder"}

// MaxBytes bounds ladder.json; ours take some ten thousand bytes.
const MaxBytes = 1 << 22

// maxPlayers bounds the references of a ladder, and its networks.
const maxPlayers = 64

// Ladder is reference players of a game and what they scored against each other. Its
// fields are those of ladder.json.
type Ladder struct {
	format.Header
	Game        string `json:"game"` // canonical game string
	GameVersion int    `json:"game_version"`
	Conditions
	Anchor   string    `json:"anchor"` // the reference whose rating is 0
	Networks []Network `json:"networks"`
	Players  []Player  `json:"players"` // the references, from weak to strong as far as the maker knew
	Matches  []Match   `json:"matches"`

	spec  env.Spec
	files files // its folder, with NAME.safetensors for the networks that are not bundled
}

// Conditions are those of the matches of a ladder.
type Conditions struct {
	Tiro    string `json:"tiro"`    // version of the program that played; of a ladder that was extended, perhaps several
	Backend string `json:"backend"` // what computed the networks
	Opening int    `json:"opening"` // random actions at the start of each game
	Seed    uint64 `json:"seed"`
}

// Network is a network that reference players search with.
type Network struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of its weights file, hexadecimal
	Origin string `json:"origin"` // where it comes from, for people
}

// Player is who plays: a reference, or a candidate.
type Player struct {
	Name    string   `json:"name"`
	Weights string   `json:"weights,omitempty"` // SHA-256 of the network; empty: the name says everything
	Search  []string `json:"search,omitempty"`  // all settings of a network's search, as KEY=VALUE
}

// Same reports whether two players play alike.
func (p Player) Same(q Player) bool { return p.key() == q.key() }

// Match is what two references scored against each other.
type Match struct {
	A     string `json:"a"` // has one seat
	B     string `json:"b"` // has the others
	Games Games  `json:"games"`
}

// Read reads ladder.json, a ladder whose networks are in files. It refuses what Tiro
// would not have written.
func Read(data []byte, files fs.FS, find env.Lookup) (*Ladder, error) {
	return readLadder(data, filesOf(files), find)
}

func readLadder(data []byte, files files, find env.Lookup) (*Ladder, error) {
	l := &Ladder{files: files}
	if err := l.read(data, find); err != nil {
		return nil, fmt.Errorf("ladder: read: %w", err)
	}
	return l, nil
}

func (l *Ladder) read(data []byte, find env.Lookup) error {
	if len(data) > MaxBytes {
		return fmt.Errorf("%d bytes; want at most %d", len(data), MaxBytes)
	}
	if err := format.DecodeJSON(data, fileHeader, l); err != nil {
		return err
	}
	game, err := find(l.Game)
	if err != nil {
		return fmt.Errorf("game: %w", err)
	}
	l.spec = game.Spec()
	return l.validate()
}

// validate reports every field that makes no sense.
func (l *Ladder) validate() error {
	k, spec := &card.Checker{}, l.spec
	k.Check(l.Game == spec.Name, "game", l.Game, spec.Name)
	k.Check(l.GameVersion == spec.Version, "game_version", l.GameVersion,
		fmt.Sprintf("%d, the version of the game that this program knows; another ladder is needed", spec.Version))
	k.Line("tiro", l.Tiro)
	k.Line("backend", l.Backend)
	k.Check(l.Opening >= 0 && l.Opening <= spec.MaxPlies, "opening", l.Opening, fmt.Sprintf("0 to %d", spec.MaxPlies))
	k.Check(len(l.Networks) <= maxPlayers, "networks", len(l.Networks), fmt.Sprintf("at most %d", maxPlayers))
	k.Check(len(l.Players) >= 2 && len(l.Players) <= maxPlayers, "players", len(l.Players), fmt.Sprintf("2 to %d", maxPlayers))
	if err := k.Err(); err != nil {
		return err
	}
	l.checkNetworks(k)
	l.checkPlayers(k)
	l.checkMatches(k, spec.Players)
	return k.Err()
}

func (l *Ladder) checkNetworks(k *card.Checker) {
	for i, n := range l.Networks {
		at := fmt.Sprintf("networks[%d].", i)
		k.Check(plainName(n.Name), at+"name", n.Name, "letters, digits and hyphens, also the name of a file")
		k.Check(!slices.ContainsFunc(l.Networks[:i], func(o Network) bool { return o.Name == n.Name }), at+"name", n.Name, "a name that no other has")
		k.Checksum(at+"sha256", n.SHA256)
		k.Line(at+"origin", n.Origin)
	}
}

// plainName reports whether a name can be that of a file anywhere, and of a network
// in a player's name.
func plainName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 40
}

func (l *Ladder) checkPlayers(k *card.Checker) {
	for i, p := range l.Players {
		at := fmt.Sprintf("players[%d].", i)
		k.Line(at+"name", p.Name)
		k.Check(!slices.ContainsFunc(l.Players[:i], func(o Player) bool { return o.Name == p.Name || o.Same(p) }),
			at+"name", p.Name, "a player that is not there yet")
		k.Check((p.Weights == "") == (len(p.Search) == 0), at+"search", len(p.Search), "settings for a network, and for nobody else")
		if p.Weights != "" {
			known := slices.ContainsFunc(l.Networks, func(n Network) bool { return n.SHA256 == p.Weights })
			k.Check(known, at+"weights", p.Weights, "the sha256 of a network of the ladder")
			_, _, err := searchConfig(p.Search)
			k.Section(at+"search", err)
		}
	}
	k.Check(l.index(l.Anchor) >= 0, "anchor", l.Anchor, "the name of a player")
}

func (l *Ladder) checkMatches(k *card.Checker, seats int) {
	for i, m := range l.Matches {
		at := fmt.Sprintf("matches[%d].", i)
		k.Check(l.index(m.A) >= 0, at+"a", m.A, "the name of a player")
		k.Check(l.index(m.B) >= 0 && m.A != m.B, at+"b", m.B, "the name of another player")
		_, err := m.Games.groups(seats, 0, 1)
		k.Section(at+"games", err)
	}
}

// index returns the place of a reference among the players, or -1.
func (l *Ladder) index(name string) int {
	return slices.IndexFunc(l.Players, func(p Player) bool { return p.Name == name })
}

// Reference returns the place of the reference that plays as p does, or -1.
func (l *Ladder) Reference(p Player) int { return slices.IndexFunc(l.Players, p.Same) }

// Write writes ladder.json.
func (l *Ladder) Write(w io.Writer) error {
	l.Header = fileHeader
	return format.EncodeJSON(w, l)
}

// seats returns the number of seats of the ladder's game.
func (l *Ladder) seats() int { return l.spec.Players }

// key returns text that tells who plays: players of the same key play alike.
func (p Player) key() string {
	if p.Weights == "" {
		return p.Name
	}
	return p.Weights + "\n" + strings.Join(p.Search, "\n")
}
