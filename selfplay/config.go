package selfplay

import (
	"errors"
	"fmt"

	"tiro/mcts"
)

// Config says how games against oneself are played.
type Config struct {
	ConcurrentGames          int              `yaml:"concurrent_games"`           // games under way at once per worker: the size of an evaluation's batch
	MaxLeavesPerSearch       int              `yaml:"max_leaves_per_search"`      // most positions a game's search hands out before it sees an answer, unless games are few
	CachePositions           int              `yaml:"cache_positions"`            // judged positions that a worker remembers, about 300 bytes each; 0 for none
	RandomOpeningProbability float64          `yaml:"random_opening_probability"` // share of games, 0 to 1, that begin with random actions
	RandomOpeningPlies       int              `yaml:"random_opening_plies"`       // such a game begins with 1 to this many
	TemperaturePlies         int              `yaml:"temperature_plies"`          // actions before this ply are drawn from the search's policy, later ones are its best
	Temperature              float64          `yaml:"temperature"`                // flattens (above 1) or sharpens (below 1) what sampled actions are drawn from
	FullSearchProbability    float64          `yaml:"full_search_probability"`    // share of moves searched in full; the others are cheap and not learned from
	CheapSimulations         int              `yaml:"cheap_simulations"`          // simulations of a cheap move
	Resign                   Resign           `yaml:"resign"`                     // when a game that is decided is broken off
	Search                   mcts.Config      `yaml:"search"`                     // of the moves searched in full
	SimulationSchedule       []SimulationStep `yaml:"simulation_schedule"`        // how search.simulations grows during a run
}

// SimulationStep is one step of a schedule: so many simulations from a
// generation on.
type SimulationStep struct {
	Generation  int `yaml:"generation"`  // the first one with this budget
	Simulations int `yaml:"simulations"` // simulations a move from then on
}

// Default returns a configuration for games of some dozens of plies.
func Default() Config {
	return Config{
		ConcurrentGames:          32,
		MaxLeavesPerSearch:       1,
		CachePositions:           1 << 16,
		RandomOpeningProbability: 0.25,
		RandomOpeningPlies:       2,
		TemperaturePlies:         10,
		Temperature:              1,
		SimulationSchedule:       []SimulationStep{},
		FullSearchProbability:    1,
		CheapSimulations:         8,
		Resign:                   DefaultResign(),
		Search:                   mcts.Default(),
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
	check(c.ConcurrentGames >= 1 && c.ConcurrentGames <= maxGames, "concurrent_games", c.ConcurrentGames, fmt.Sprintf("1 to %d", maxGames))
	check(c.MaxLeavesPerSearch >= 1 && c.MaxLeavesPerSearch <= maxGames, "max_leaves_per_search", c.MaxLeavesPerSearch, fmt.Sprintf("1 to %d", maxGames))
	check(c.CachePositions >= 0 && c.CachePositions <= maxCache, "cache_positions", c.CachePositions, fmt.Sprintf("0 to %d", maxCache))
	check(c.RandomOpeningProbability >= 0 && c.RandomOpeningProbability <= 1, "random_opening_probability", c.RandomOpeningProbability, "0 to 1")
	check(c.RandomOpeningPlies >= 0, "random_opening_plies", c.RandomOpeningPlies, "0 or more")
	check(c.TemperaturePlies >= 0, "temperature_plies", c.TemperaturePlies, "0 or more")
	check(c.Temperature >= 0.01 && c.Temperature <= 100, "temperature", c.Temperature, "0.01 to 100")
	check(c.FullSearchProbability > 0 && c.FullSearchProbability <= 1, "full_search_probability", c.FullSearchProbability, "above 0, at most 1")
	check(c.CheapSimulations >= 1, "cheap_simulations", c.CheapSimulations, "1 or more")
	from := -1
	for i, g := range c.SimulationSchedule {
		check(g.Generation > from, fmt.Sprintf("simulation_schedule[%d].generation", i), g.Generation, fmt.Sprintf("more than %d", from))
		check(g.Simulations >= 1, fmt.Sprintf("simulation_schedule[%d].simulations", i), g.Simulations, "1 or more")
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
	for _, g := range c.SimulationSchedule {
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
	if c.Search.ParallelLeaves > 1 {
		return c.MaxLeavesPerSearch
	}
	return max(c.MaxLeavesPerSearch, c.ConcurrentGames/max(games, 1))
}
