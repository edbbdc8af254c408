package study

import (
	"fmt"

	"tiro/disk"
	"tiro/format"
	"tiro/models/card"
)

// logHeader is the header of matches.json.
var logHeader = format.Header{Format: 1, What: "tiro match log"}

// MatchLog is a file of finished matches, so that none is played twice.
type MatchLog struct {
	fsys    disk.FS
	path    string
	content logContent
}

type logContent struct {
	format.Header
	Matches []match `json:"matches"`
}

type match struct {
	Pairing
	Rating card.Rating `json:"rating"`
}

// Pairing says what was played, and by which program. Two matches of the same
// pairing have the same result, as far as versions tell programs apart: all
// builds without a known version are "(devel)", and builds with uncommitted
// changes have the version of their commit with "+dirty".
type Pairing struct {
	Tiro        string `json:"tiro"`     // version of the program that played
	Weights     string `json:"weights"`  // SHA-256 of the network's weights, hexadecimal
	Opponent    string `json:"opponent"` // a fixed player, or the SHA-256 of another network's weights
	Games       int    `json:"games"`
	Simulations int    `json:"simulations"` // a move, of networks
	Opening     int    `json:"opening"`     // random actions at the start of each game
	Seed        uint64 `json:"seed"`
	Backend     string `json:"backend"` // what computed the networks
}

// OpenMatchLog reads the log at path. If there is no such file, the log is empty.
func OpenMatchLog(fsys disk.FS, path string) (*MatchLog, error) {
	l := &MatchLog{fsys: fsys, path: path}
	if err := openLog(fsys, path, l.read); err != nil {
		return nil, err
	}
	return l, nil
}

// read decodes and checks the content of a log.
func (l *MatchLog) read(data []byte) error {
	if err := format.DecodeJSON(data, logHeader, &l.content); err != nil {
		return err
	}
	k := &card.Checker{}
	seen := map[Pairing]bool{}
	for i, m := range l.content.Matches {
		at := fmt.Sprintf("matches[%d].", i)
		k.Line(at+"tiro", m.Tiro)
		k.Checksum(at+"weights", m.Weights)
		k.Line(at+"opponent", m.Opponent)
		k.Check(m.Games == m.Rating.Games, at+"games", m.Games, "as many as are rated")
		k.AtLeast(at+"simulations", m.Simulations, 1)
		k.AtLeast(at+"opening", m.Opening, 0)
		k.Line(at+"backend", m.Backend)
		k.Rating(at+"rating", m.Rating)
		k.Check(!seen[m.Pairing], at+"opponent", m.Opponent, "one that these weights have not met before in the same way")
		seen[m.Pairing] = true
	}
	return k.Err()
}

// Len returns the number of matches.
func (l *MatchLog) Len() int { return len(l.content.Matches) }

// Find returns the rating that a pairing came to, if it was played.
func (l *MatchLog) Find(p Pairing) (r card.Rating, ok bool) {
	for _, m := range l.content.Matches {
		if m.Pairing == p {
			return m.Rating, true
		}
	}
	return r, false
}

// Add adds a match unless the log has it. Save writes it.
func (l *MatchLog) Add(p Pairing, r card.Rating) {
	if _, ok := l.Find(p); !ok {
		l.content.Matches = append(l.content.Matches, match{p, r})
	}
}

// addCard adds the matches of a card.
func (l *MatchLog) addCard(c card.Card) {
	add := func(weights, opponent string, r card.Rating) {
		l.Add(pairing(c.Rated, weights, opponent, r.Games), r)
	}
	for _, r := range c.Ratings {
		add(c.Weights.SHA256, r.Opponent, r)
	}
	for i, p := range c.Curve {
		add(p.Weights, p.Reference.Opponent, p.Reference)
		if p.Previous != nil {
			add(p.Weights, c.Curve[i-1].Weights, *p.Previous)
		}
	}
}

// pairing returns what is played under the conditions of a card.
func pairing(c card.Conditions, weights, opponent string, games int) Pairing {
	return Pairing{c.Tiro, weights, opponent, games, c.Simulations, c.Opening, c.Seed, c.Backend}
}

// Save writes the log, which appears complete or stays as it was.
func (l *MatchLog) Save() error {
	l.content.Header = logHeader
	return saveLog(l.fsys, l.path, l.content)
}
