package card

import (
	"encoding/hex"
	"fmt"
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

// cost checks what the network of a run with origins took.
func (k *Checker) cost(at string, c Cost, origins []Origin) {
	k.atLeast(at+"generation", c.Generation, 0)
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
