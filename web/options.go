package web

import (
	"errors"
	"fmt"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
)

// Human is the seat of a person.
const Human = "human"

// Player is someone who can be seated.
type Player struct {
	Name string `json:"name"` // as tiro match spells it, such as "bundled,sims=200"
	Text string `json:"text"` // for people
}

// Offer is a game and who can be seated in it.
type Offer struct {
	Game    string   `json:"game"`  // game string
	Title   string   `json:"title"` // for people
	Seats   []string `json:"seats"` // their names, by seat
	Players []Player `json:"players"`
	Rules   string   `json:"rules"`

	// Analyst is the player that says what it expects of every position and gives
	// hints: one of a kind that searches, or "" for none.
	Analyst string `json:"analyst"`
}

// Options are what a Server needs.
type Options struct {
	Offers []Offer
	Find   env.Lookup

	// Player returns the factory of the players of a name, which is one that an
	// Offer has. It is called by several goroutines.
	Player func(game env.Game, name string) (arena.PlayerFactory, error)

	Disk     disk.FS
	Dir      string // folder of the games; made if need be
	MaxGames int    // in memory
	Searches int    // searches at the same time
	Hosts    []string
	Token    string // that requests have to have; "" for none
	NewID    func() string
}

// Validate returns what is wrong with the options.
func (o *Options) Validate() error {
	switch {
	case len(o.Offers) == 0:
		return errors.New("web: no games to offer")
	case o.MaxGames < 1 || o.Searches < 1:
		return fmt.Errorf("web: %d games, %d searches; want 1 or more of both", o.MaxGames, o.Searches)
	}
	return nil
}
