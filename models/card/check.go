package card

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"tiro/internal/faults"
)

// Checker collects the faults of a file. Its methods take the name of the field
// first.
type Checker struct{ faults.List }

// Check adds a fault unless ok. Values come from a file, so they are quoted and
// cut.
func (k *Checker) Check(ok bool, field string, value any, want string) {
	if !ok {
		k.List.Check(ok, field, fmt.Sprintf("%.60q", fmt.Sprint(value)), want)
	}
}

func (k *Checker) atLeast(field string, value, least int) {
	k.Check(value >= least, field, value, fmt.Sprintf("%d or more", least))
}

// line checks text that must stand on one line.
func (k *Checker) line(field, text string) {
	plain := utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	k.Check(text != "" && len(text) <= maxText && plain, field, text, fmt.Sprintf("a line of plain text, at most %d bytes", maxText))
}

// optional is line for text that may be empty.
func (k *Checker) optional(field, text string) {
	if text != "" {
		k.line(field, text)
	}
}

func (k *Checker) config(field, text string) {
	k.Check(len(text) <= maxConfig, field, len(text), fmt.Sprintf("at most %d bytes", maxConfig))
	k.Check(utf8.ValidString(text), field, text, "text in UTF-8")
}

func (k *Checker) checksum(field, text string) {
	digits, err := hex.DecodeString(text)
	k.Check(err == nil && len(digits) == 32, field, text, "a SHA-256, 64 hexadecimal digits")
}

func (k *Checker) result(at string, r Result) {
	k.line(at+".opponent", r.Opponent)
	k.atLeast(at+".games", r.Games, 1)
	k.Check(r.Wins >= 0 && r.Draws >= 0 && r.Losses >= 0 && r.Wins <= r.Games && r.Draws <= r.Games-r.Wins && r.Losses == r.Games-r.Wins-r.Draws,
		at, fmt.Sprintf("%d wins, %d draws, %d losses", r.Wins, r.Draws, r.Losses), "as many as there are games")
	k.Check(r.Distinct >= 1 && r.Distinct <= r.Games, at+".distinct", r.Distinct, "1 or more, at most games")
	s := r.Score
	k.Check(0 <= s.Low && s.Low <= s.Value && s.Value <= s.High && s.High <= 1, at+".score", s, "an interval from 0 to 1 that holds its value")
	k.Check(0 < r.EqualScore && r.EqualScore < 1, at+".equal_score", r.EqualScore, "more than 0, less than 1")
	k.elo(at+".elo", r.Elo)
}

func (k *Checker) elo(at string, e Elo) {
	or := func(x *float64, none float64) float64 {
		if x == nil {
			return none
		}
		return *x
	}
	low, high := or(e.Low, math.Inf(-1)), or(e.High, math.Inf(1))
	k.Check(low <= high && low <= or(e.Value, low) && or(e.Value, high) <= high, at, "an interval without its value", "an interval that holds its value")
}

func (k *Checker) list(field string, length int) {
	k.Check(length <= maxList, field, length, fmt.Sprintf("at most %d", maxList))
}

func (k *Checker) progress(at string, p Progress) {
	k.atLeast(at+"generation", p.Generation, 0)
	k.atLeast(at+"games", p.Games, 0)
	k.atLeast(at+"samples", p.Samples, 0)
	k.atLeast(at+"evaluations", p.Evaluations, 0)
	k.Check(p.CoreHours >= 0, at+"core_hours", p.CoreHours, "0 or more")
	k.Check(p.SelfplayCoreHours >= 0, at+"selfplay_core_hours", p.SelfplayCoreHours, "0 or more")
	k.Check(p.LearnCoreHours >= 0, at+"learn_core_hours", p.LearnCoreHours, "0 or more")
}

// cost checks what the network of a run with origins took.
func (k *Checker) cost(at string, c Cost, origins []Origin) {
	k.progress(at, c.Progress)
	k.Check(c.Unmeasured >= 0 && c.Unmeasured <= c.Generation+Before(origins), at+"unmeasured_generations", c.Unmeasured, "0 or more, at most all generations")
	k.optional(at+"trained.tiro", c.Trained.Tiro)
	k.optional(at+"trained.backend", c.Trained.Backend)
}

// Origin checks what a run goes on from that itself has the origins before.
func (k *Checker) Origin(at string, o Origin, before []Origin) {
	k.line(at+"game", o.Game)
	k.atLeast(at+"generation", o.Generation, newest(before))
	k.config(at+"config", o.Config)
	if o.Network != nil {
		k.cost(at+"network.", *o.Network, before)
		k.Check(o.Network.Generation == o.Generation, at+"network.generation", o.Network.Generation, "that of the checkpoint")
	}
}

// newest returns the generation that a run with origins begins with.
func newest(origins []Origin) int {
	if n := len(origins); n > 0 && origins[n-1].Network == nil {
		return origins[n-1].Generation
	}
	return 0
}

// curve checks the learning curve: points in order, the card's own network last.
func (k *Checker) curve(c Card) {
	k.list("curve", len(c.Curve))
	for i, p := range c.Curve {
		at := fmt.Sprintf("curve[%d].", i)
		k.progress(at, p.Progress)
		k.checksum(at+"weights", p.Weights)
		k.elo(at+"elo", p.Elo)
		k.Check(i == 0 || p.Generation > c.Curve[i-1].Generation, at+"generation", p.Generation, "more than the point before has")
		if i == len(c.Curve)-1 {
			k.Check(p.Generation == c.Generation, at+"generation", p.Generation, "the last point to be the card's network")
			k.Check(p.Weights == c.Weights.SHA256, at+"weights", p.Weights, "the last point to be the card's network")
		}
	}
}
