package card

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"tiro/format"
)

// MaxBytes bounds the files of this package; ours take some ten thousand bytes.
const MaxBytes = 1 << 20

// Bounds on what a card holds.
const (
	maxConfig = 1 << 16 // of the run's configuration, bytes
	maxText   = 4000    // of any other text, bytes
	maxList   = 1000    // commands, ratings, points, matches
)

// Read reads card.json. It refuses what Tiro would not have written: fields
// that it does not know, counts that do not add up, intervals that do not hold
// their value, text of several lines.
func Read(data []byte) (Card, error) {
	var c Card
	err := decode(data, fileHeader, &c)
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		return Card{}, fmt.Errorf("card: read: %w", err)
	}
	return c, nil
}

// decode reads a file of this package, whose mark is newest, into v.
func decode(data []byte, newest format.Header, v any) error {
	if len(data) > MaxBytes {
		return fmt.Errorf("%d bytes; want at most %d", len(data), MaxBytes)
	}
	if err := format.CheckJSON(data, newest); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(v)
}

// Write writes card.json, of a card that is valid.
func (c Card) Write(w io.Writer) error {
	c.Header = fileHeader
	if err := c.Validate(); err != nil {
		return fmt.Errorf("card: write: %w", err)
	}
	return encode(w, c)
}

// checker collects what is wrong with a card.
type checker struct{ faults []error }

func (k *checker) check(ok bool, field string, value any, want string) {
	if !ok {
		k.faults = append(k.faults, fmt.Errorf("%s is %.60q; want %s", field, fmt.Sprint(value), want))
	}
}

// Validate reports every field that makes no sense.
func (c Card) Validate() error {
	k := &checker{}
	k.line("game", c.Game)
	k.atLeast("game_version", c.GameVersion, 0)
	k.list("commands", len(c.Commands))
	for i, command := range c.Commands {
		k.line(fmt.Sprintf("commands[%d]", i), command)
	}
	k.progress("", c.Progress)
	k.check(c.Untimed >= 0 && c.Untimed <= c.Generation, "untimed", c.Untimed, "0 or more, at most generation")
	k.line("backend", c.Backend)
	if err := c.Net.Validate(); err != nil {
		k.faults = append(k.faults, err)
	}
	k.atLeast("parameters", c.Parameters, 1)
	k.check(c.Weights.Bytes >= 1, "weights.bytes", c.Weights.Bytes, "1 or more")
	k.checksum("weights.sha256", c.Weights.SHA256)
	k.line("rated.tiro", c.Rated.Tiro)
	k.line("rated.machine", c.Rated.Machine)
	k.line("rated.backend", c.Rated.Backend)
	k.atLeast("rated.simulations", c.Rated.Simulations, 1)
	k.atLeast("rated.opening", c.Rated.Opening, 0)
	k.list("ratings", len(c.Ratings))
	for i, r := range c.Ratings {
		k.rating(fmt.Sprintf("ratings[%d]", i), r)
	}
	k.curve(c)
	k.check(len(c.Config) <= maxConfig, "config", len(c.Config), fmt.Sprintf("at most %d bytes", maxConfig))
	k.check(utf8.ValidString(c.Config), "config", c.Config, "text in UTF-8")
	return errors.Join(k.faults...)
}

// curve checks the learning curve: points in order, the last of them the card's
// own network.
func (k *checker) curve(c Card) {
	k.list("curve", len(c.Curve))
	for i, p := range c.Curve {
		at := fmt.Sprintf("curve[%d].", i)
		k.progress(at, p.Progress)
		k.checksum(at+"weights", p.Weights)
		k.rating(at+"yardstick", p.Yardstick)
		k.check((p.Before == nil) == (i == 0), at+"before", p.Before != nil, "one for each point but the first")
		if p.Before != nil {
			k.rating(at+"before", *p.Before)
		}
		if i > 0 {
			k.check(p.Generation > c.Curve[i-1].Generation, at+"generation", p.Generation, "more than the point before has")
			k.check(p.Yardstick.Opponent == c.Curve[0].Yardstick.Opponent, at+"yardstick.opponent", p.Yardstick.Opponent, "the same for all points")
		}
		if i == len(c.Curve)-1 {
			k.check(p.Generation == c.Generation, at+"generation", p.Generation, "the last point to be the card's network")
			k.check(p.Weights == c.Weights.SHA256, at+"weights", p.Weights, "the last point to be the card's network")
		}
	}
}

// progress checks how far a run had come.
func (k *checker) progress(at string, p Progress) {
	k.atLeast(at+"generation", p.Generation, 0)
	k.atLeast(at+"games", p.Games, 0)
	k.atLeast(at+"rows", p.Rows, 0)
	k.atLeast(at+"evaluations", p.Evaluations, 0)
	k.check(p.CoreHours >= 0, at+"core_hours", p.CoreHours, "0 or more")
}

func (k *checker) rating(at string, r Rating) {
	k.line(at+".opponent", r.Opponent)
	k.atLeast(at+".games", r.Games, 1)
	k.check(r.Won >= 0 && r.Drawn >= 0 && r.Lost >= 0 && r.Won <= r.Games && r.Drawn <= r.Games-r.Won && r.Lost == r.Games-r.Won-r.Drawn,
		at, fmt.Sprintf("%d won, %d drawn, %d lost", r.Won, r.Drawn, r.Lost), "as many as there are games")
	k.check(r.Distinct >= 1 && r.Distinct <= r.Games, at+".distinct", r.Distinct, "1 or more, at most games")
	s := r.Share
	k.check(0 <= s.Low && s.Low <= s.Value && s.Value <= s.High && s.High <= 1, at+".share", s, "an interval from 0 to 1 that holds its value")
	k.check(0 < s.Chance && s.Chance < 1, at+".share.chance", s.Chance, "more than 0, less than 1")
	or := func(x *float64, none float64) float64 {
		if x == nil {
			return none
		}
		return *x
	}
	low, high := or(r.Elo.Low, math.Inf(-1)), or(r.Elo.High, math.Inf(1))
	k.check(low <= high && low <= or(r.Elo.Value, low) && or(r.Elo.Value, high) <= high, at+".elo", "an interval without its value", "an interval that holds its value")
}

func (k *checker) atLeast(field string, value, least int) {
	k.check(value >= least, field, value, fmt.Sprintf("%d or more", least))
}

func (k *checker) list(field string, length int) {
	k.check(length <= maxList, field, length, fmt.Sprintf("at most %d", maxList))
}

// line checks text that is to stand on one line.
func (k *checker) line(field, text string) {
	plain := utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	k.check(text != "" && len(text) <= maxText && plain, field, text, fmt.Sprintf("a line of plain text, at most %d bytes", maxText))
}

func (k *checker) checksum(field, text string) {
	digits, err := hex.DecodeString(text)
	k.check(err == nil && len(digits) == 32, field, text, "a SHA-256, 64 hexadecimal digits")
}
