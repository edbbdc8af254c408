package card

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tiro/format"
)

// matchesHeader is the kind of file that Matches make.
var matchesHeader = format.Header{Format: 1, What: "tiro card matches"}

// Matches is matches.json: the matches that were finished before the card was,
// so that none is played twice.
type Matches struct {
	format.Header
	Matches []Match `json:"matches"`
}

// Match is a match that was finished.
type Match struct {
	Pairing
	Rating Rating `json:"rating"`
}

// Pairing says what was played, and by which program. Matches of the same
// pairing come to the same rating, as far as versions tell programs apart: all
// builds without a known one are "(devel)", and those from changed sources have
// that of the commit below, with "+dirty".
type Pairing struct {
	Tiro        string `json:"tiro"`     // version of the program that played
	Weights     string `json:"weights"`  // SHA-256 of the network's weights, hexadecimal
	Opponent    string `json:"opponent"` // a fixed player, or the SHA-256 of another network's weights
	Games       int    `json:"games"`
	Simulations int    `json:"simulations"` // of a network's search, a move
	Opening     int    `json:"opening"`     // random actions at the start of each game
	Seed        uint64 `json:"seed"`
	Backend     string `json:"backend"` // name of what computed the networks
}

// ReadMatches reads matches.json, as strictly as Read does a card.
func ReadMatches(data []byte) (Matches, error) {
	var m Matches
	err := decode(data, matchesHeader, &m)
	if err == nil {
		err = m.validate()
	}
	if err != nil {
		return Matches{}, fmt.Errorf("card: read matches: %w", err)
	}
	return m, nil
}

// Write writes matches.json.
func (m Matches) Write(w io.Writer) error {
	m.Header = matchesHeader
	return encode(w, m)
}

// Find returns the rating of a pairing, if it is there.
func (m Matches) Find(p Pairing) (r Rating, ok bool) {
	for _, match := range m.Matches {
		if match.Pairing == p {
			return match.Rating, true
		}
	}
	return Rating{}, false
}

// validate reports every field that makes no sense.
func (m Matches) validate() error {
	k := &checker{}
	k.list("matches", len(m.Matches))
	seen := map[Pairing]bool{}
	for i, match := range m.Matches {
		at := fmt.Sprintf("matches[%d].", i)
		k.line(at+"tiro", match.Tiro)
		k.checksum(at+"weights", match.Weights)
		k.line(at+"opponent", match.Opponent)
		k.check(match.Games == match.Rating.Games, at+"games", match.Games, "as many as are rated")
		k.atLeast(at+"simulations", match.Simulations, 1)
		k.atLeast(at+"opening", match.Opening, 0)
		k.line(at+"backend", match.Backend)
		k.rating(at+"rating", match.Rating)
		if seen[match.Pairing] {
			k.faults = append(k.faults, errors.New(at+"opponent has met these weights before in the same way"))
		}
		seen[match.Pairing] = true
	}
	return errors.Join(k.faults...)
}

// Finished returns the matches that the card tells of.
func (c Card) Finished() Matches {
	var m Matches
	add := func(weights, opponent string, r Rating) {
		m.Matches = append(m.Matches, Match{c.Rated.Pairing(weights, opponent, r.Games), r})
	}
	for _, r := range c.Ratings {
		add(c.Weights.SHA256, r.Opponent, r)
	}
	for i, p := range c.Curve {
		add(p.Weights, p.Yardstick.Opponent, p.Yardstick)
		if p.Before != nil {
			add(p.Weights, c.Curve[i-1].Weights, *p.Before)
		}
	}
	return m
}

// Pairing returns what is played under these conditions, by the program that
// writes the card.
func (c Conditions) Pairing(weights, opponent string, games int) Pairing {
	return Pairing{c.Tiro, weights, opponent, games, c.Simulations, c.Opening, c.Seed, c.Backend}
}

// encode writes v as a file of this package.
func encode(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
