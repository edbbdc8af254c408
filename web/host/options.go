package host

import (
	"errors"
	"fmt"

	"tiro/env"
	"tiro/play"
	"tiro/player"
)

// Human is the name of a human player.
const Human = play.Human

// Store stores games by their identifiers, which satisfy ValidID.
type Store interface {
	// Save stores a game, replacing an earlier version.
	Save(id string, data []byte) error

	// Load returns a stored game. Its error wraps fs.ErrNotExist if there is none.
	Load(id string) ([]byte, error)
}

// Options configure a Host.
type Options struct {
	Offers []Offer
	Find   env.Lookup

	// Player returns the factory of a player of an Offer by its name. It is called by
	// several goroutines.
	Player func(game env.Game, name string) (player.Factory, error)

	Store    Store
	MaxGames int // maximum number of games in memory
	Searches int // maximum number of concurrent searches
	NewID    func() string
}

// Validate reports the first fault of the options.
func (o *Options) Validate() error {
	switch {
	case len(o.Offers) == 0:
		return errors.New("no games to offer")
	case o.MaxGames < 1 || o.Searches < 1:
		return fmt.Errorf("games and searches must be at least 1, not %d and %d", o.MaxGames, o.Searches)
	}
	return nil
}
