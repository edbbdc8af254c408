package card

import (
	"fmt"
	"io"

	"tiro/format"
)

// MaxBytes is the largest size of card.json, which usually has some ten thousand bytes.
const MaxBytes = 1 << 20

// Limits on the texts of a card.
const (
	maxConfig = 1 << 16 // for the run's configuration, bytes
	maxText   = 4000    // for any other text, bytes
)

// Read reads card.json. It rejects unknown fields, texts of several lines, and values that are
// impossible for the network.
func Read(data []byte) (c Card, err error) {
	if len(data) > MaxBytes {
		err = fmt.Errorf("%d bytes, more than the limit of %d", len(data), MaxBytes)
	} else if err = format.DecodeJSON(data, fileHeader, &c); err == nil {
		err = c.Validate()
	}
	if err != nil {
		return Card{}, fmt.Errorf("card: read: %w", err)
	}
	return c, nil
}

// Write writes card.json. The card must be valid.
func (c Card) Write(w io.Writer) error {
	c.Header = fileHeader
	if err := c.Validate(); err != nil {
		return fmt.Errorf("card: write: %w", err)
	}
	return format.EncodeJSON(w, c)
}

// Validate reports every field that cannot be shown or does not fit the network. It does not
// check the results.
func (c Card) Validate() error {
	k := &Checker{}
	k.line("game", c.Game)
	k.atLeast("game_version", c.GameVersion, 0)
	for i, command := range c.Commands {
		k.line(fmt.Sprintf("commands[%d]", i), command)
	}
	k.cost("", c.Cost, c.Generation+Before(c.Origins))
	for i, o := range c.Origins {
		k.Origin(fmt.Sprintf("origins[%d].", i), o, c.Origins[:i])
	}
	k.Check(ForkedAt(c.Origins) <= c.Generation, "generation", c.Generation, "at least the generation of the last origin")
	k.Section("net", c.Net.Validate())
	k.atLeast("parameters", c.Parameters, 1)
	k.Check(c.Weights.Bytes >= 1, "weights.bytes", c.Weights.Bytes, "1 or more")
	k.checksum("weights.sha256", c.Weights.SHA256)
	k.line("rated.tiro", c.Rated.Tiro)
	k.line("rated.machine", c.Rated.Machine)
	k.line("rated.backend", c.Rated.Backend)
	k.atLeast("rated.simulations", c.Rated.Simulations, 1)
	for i, setting := range c.Rated.Search {
		k.line(fmt.Sprintf("rated.search[%d]", i), setting)
	}
	k.line("rated.anchor", c.Rated.Anchor)
	k.atLeast("rated.opening", c.Rated.Opening, 0)
	for i, r := range c.Ratings {
		k.line(fmt.Sprintf("ratings[%d].opponent", i), r.Opponent)
	}
	k.config("config", c.Config)
	return k.Err()
}
