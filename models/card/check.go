package card

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"tiro/internal/faults"
)

// Checker collects the faults of a file. The first parameter of its methods is the name of the
// field.
type Checker struct{ faults.List }

// Check adds a fault unless ok. It quotes and truncates the value, because it comes from a file.
func (k *Checker) Check(ok bool, field string, value any, want string) {
	if !ok {
		k.List.Check(ok, field, fmt.Sprintf("%.60q", fmt.Sprint(value)), want)
	}
}

func (k *Checker) atLeast(field string, value, least int) {
	k.Check(value >= least, field, value, fmt.Sprintf("%d or more", least))
}

// line checks a text of a single line.
func (k *Checker) line(field, text string) {
	plain := utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	k.Check(text != "" && len(text) <= maxText && plain, field, text, fmt.Sprintf("a line of plain text, at most %d bytes", maxText))
}

// optional is line for a text that may be empty.
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

// cost checks the cost of a network that was trained for the given number of generations in all.
func (k *Checker) cost(at string, c Cost, generations int) {
	k.atLeast(at+"generation", c.Generation, 0)
	k.Check(c.Unmeasured >= 0 && c.Unmeasured <= generations, at+"unmeasured_generations", c.Unmeasured, "0 or more, at most all generations")
	k.optional(at+"trained.tiro", c.Trained.Tiro)
	k.optional(at+"trained.backend", c.Trained.Backend)
}

// Origin checks the last origin of a run; before are the earlier ones.
func (k *Checker) Origin(at string, o Origin, before []Origin) {
	k.line(at+"game", o.Game)
	k.atLeast(at+"generation", o.Generation, ForkedAt(before))
	k.config(at+"config", o.Config)
	if o.Network != nil {
		k.cost(at+"network.", *o.Network, Before([]Origin{o})+Before(before))
		k.Check(o.Network.Generation == o.Generation, at+"network.generation", o.Network.Generation, "the generation of the checkpoint")
	}
	for i, a := range o.Averaged {
		at := fmt.Sprintf("%saveraged[%d].", at, i)
		k.Origin(at, a, before)
		k.Check(o.Network != nil && a.Network == nil && a.Averaged == nil, at+"generation", a.Generation, "of a checkpoint without network and averaged, in an origin with network")
	}
}
