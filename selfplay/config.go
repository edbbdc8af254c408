package selfplay

import (
	"errors"
	"fmt"

	"tiro/mcts"
)

// Config says how games against oneself are played.
type Config struct {
	Games            int         `yaml:"games"`             // games under way at once per worker: the size of an evaluation's batch
	Leaves           int         `yaml:"leaves"`            // most positions a game's search hands out before it sees an answer, unless games are few
	Cache            int         `yaml:"cache"`             // judged positions that a worker remembers, about 300 bytes each; 0 for none
	OpeningShare     float64     `yaml:"opening_share"`     // share of games, 0 to 1, that begin with random actions
	OpeningPlies     int         `yaml:"opening_plies"`     // such a game begins with 1 to this many
	SampledPlies     int         `yaml:"sampled_plies"`     // actions before this ply are drawn from the search's policy, later ones are its best
	Temperature      float64     `yaml:"temperature"`       // flattens (above 1) or sharpens (below 1) what sampled actions are drawn from
	FullShare        float64     `yaml:"full_share"`        // share of moves searched in full; the others are cheap and not learned from
	CheapSimulations int         `yaml:"cheap_simulations"` // simulations of a cheap move
	Resign           Resign      `yaml:"resign"`            // when a game that is decided is broken off
	Search           mcts.Config `yaml:"search"`            // of the moves searched in full
	Growth           []Growth    `yaml:"growth"`            // how search.simulations grows during a run
}

// Growth is one step of a budget that grows with the generations.
type Growth struct {
	Generation  int `yaml:"generation"`  // the first one with this budget
	Simulations int `yaml:"simulations"` // simulations a move from then on
}

// Default returns a configuration for games of some dozens of plies.
func Default() Config {
	return Config{
		Games:            32,
		Leaves:           1,
		Cache:            1 << 16,
		OpeningShare:     0.25,
		OpeningPlies:     2,
		SampledPlies:     10,
		Temperature:      1,
		Growth:           []Growth{},
		FullShare:        1,
		CheapSimulations: 8,
		Resign:           DefaultResign(),
		Search:           mcts.Default(),
	}
}

// Largest accepted sizes, so that a mistyped number does not ask for all
// memory. Each game under way holds a tree.
const (
	maxGames = 1 << 16
	maxCache = 1 << 26
)

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var faults []error
	check := func(ok bool, field string, value any, want string) {
		if !ok {
			faults = append(faults, fmt.Errorf("selfplay: %s is %v; want %s", field, value, want))
		}
	}
	check(c.Games >= 1 && c.Games <= maxGames, "games", c.Games, fmt.Sprintf("1 to %d", maxGames))
	check(c.Leaves >= 1 && c.Leaves <= maxGames, "leaves", c.Leaves, fmt.Sprintf("1 to %d", maxGames))
	check(c.Cache >= 0 && c.Cache <= maxCache, "cache", c.Cache, fmt.Sprintf("0 to %d", maxCache))
	check(c.OpeningShare >= 0 && c.OpeningShare <= 1, "opening_share", c.OpeningShare, "0 to 1")
	check(c.OpeningPlies >= 0, "opening_plies", c.OpeningPlies, "0 or more")
	check(c.SampledPlies >= 0, "sampled_plies", c.SampledPlies, "0 or more")
	check(c.Temperature >= 0.01 && c.Temperature <= 100, "temperature", c.Temperature, "0.01 to 100")
	check(c.FullShare > 0 && c.FullShare <= 1, "full_share", c.FullShare, "above 0, at most 1")
	check(c.CheapSimulations >= 1, "cheap_simulations", c.CheapSimulations, "1 or more")
	from := -1
	for i, g := range c.Growth {
		check(g.Generation > from, fmt.Sprintf("growth[%d].generation", i), g.Generation, fmt.Sprintf("more than %d", from))
		check(g.Simulations >= 1, fmt.Sprintf("growth[%d].simulations", i), g.Simulations, "1 or more")
		from = max(from, g.Generation)
	}
	faults = append(faults, c.Resign.Validate())
	if err := c.Search.Validate(); err != nil {
		faults = append(faults, fmt.Errorf("selfplay: search: %w", err))
	}
	return errors.Join(faults...)
}

// Simulations returns the budget of a move searched in full in a generation.
func (c Config) Simulations(generation int) int {
	n := c.Search.Simulations
	for _, g := range c.Growth {
		if generation >= g.Generation {
			n = g.Simulations
		}
	}
	return n
}

// leaves returns how many positions each of so many games under way may hand
// out at once: when games get few, as many as still make a full batch. To a
// search without virtual loss it is all the same; see mcts.Search.Gather.
func (c Config) leaves(games int) int {
	if c.Search.Parallel > 1 {
		return c.Leaves
	}
	return max(c.Leaves, c.Games/max(games, 1))
}
