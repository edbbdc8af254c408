package host

import (
	"errors"
	"fmt"

	"tiro/env"
	"tiro/play"
	"tiro/player"
)

// Human is the seat of a person.
const Human = play.Human

// Store keeps games by their identifiers, which ValidID has accepted.
type Store interface {
	// Save replaces what is kept of a game.
	Save(id string, data []byte) error

	// Load returns what was saved. Its error wraps fs.ErrNotExist if there is nothing.
	Load(id string) ([]byte, error)
}

// Options are what a Host needs.
type Options struct {
	Offers []Offer
	Find   env.Lookup

	// Player returns the factory of the players of a name, which is one that an
	// Offer has. It is called by several goroutines.
	Player func(game env.Game, name string) (player.Factory, error)

	Store    Store
	MaxGames int // in memory
	Searches int // at the same time
	NewID    func() string
}

// Validate returns what is wrong with the options.
func (o *Options) Validate() error {
	switch {
	case len(o.Offers) == 0:
		return errors.New("no games to offer")
	case o.MaxGames < 1 || o.Searches < 1:
		return fmt.Errorf("%d games, %d searches; want 1 or more of both", o.MaxGames, o.Searches)
	}
	return nil
}
