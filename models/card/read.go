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

// Bounds on a card. Ours take some ten thousand bytes.
const (
	maxBytes  = 1 << 20
	maxConfig = 1 << 16 // of the run's configuration, bytes
	maxText   = 4000    // of any other text, bytes
	maxList   = 1000    // commands, ratings, points
)

// Read reads card.json. It refuses what Tiro would not have written: fields
// that it does not know, counts that do not add up, intervals that do not hold
// their value, text of several lines.
func Read(data []byte) (Card, error) {
	c, err := read(data)
	if err != nil {
		return Card{}, fmt.Errorf("card: read: %w", err)
	}
	return c, nil
}

func read(data []byte) (c Card, err error) {
	if len(data) > maxBytes {
		return c, fmt.Errorf("%d bytes; want at most %d", len(data), maxBytes)
	}
	if err := format.CheckJSON(data, mark); err != nil {
		return c, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("there is more behind the card")
	}
	return c, c.Validate()
}

// Write writes card.json.
func (c Card) Write(w io.Writer) error {
	c.Mark = mark
	if err := c.Validate(); err != nil {
		return fmt.Errorf("card: write: %w", err)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(c)
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
	k.progress("", c.Generation, c.Games, c.Rows, c.Evaluations, c.CoreHours)
	k.check(c.Untimed >= 0 && c.Untimed <= c.Generation, "untimed", c.Untimed, "0 or more, at most generation")
	k.line("kernel", c.Kernel)
	if err := c.Net.Validate(); err != nil {
		k.faults = append(k.faults, err)
	}
	k.atLeast("parameters", c.Parameters, 1)
	k.check(c.Weights.Bytes >= 1, "weights.bytes", c.Weights.Bytes, "1 or more")
	k.checksum("weights.sha256", c.Weights.SHA256)
	k.line("rated.tiro", c.Rated.Tiro)
	k.line("rated.machine", c.Rated.Machine)
	k.line("rated.kernel", c.Rated.Kernel)
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
		k.progress(at, p.Generation, p.Games, p.Rows, p.Evaluations, p.CoreHours)
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
func (k *checker) progress(at string, generation, games, rows, evaluations int, hours float64) {
	k.atLeast(at+"generation", generation, 0)
	k.atLeast(at+"games", games, 0)
	k.atLeast(at+"rows", rows, 0)
	k.atLeast(at+"evaluations", evaluations, 0)
	k.check(hours >= 0, at+"core_hours", hours, "0 or more")
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
