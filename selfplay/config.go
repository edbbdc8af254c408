package selfplay

import (
	"fmt"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/mcts"
)

// Config says how games against oneself are played.
type Config struct {
	ConcurrentGames          int              `yaml:"concurrent_games"`           // per worker; together they fill a batch
	Asynchronous             bool             `yaml:"asynchronous"`               // a generation is played while the network learns from the one before, by the network before that
	CachePositions           int              `yaml:"cache_positions"`            // evaluations that a worker remembers; 0: none
	RandomOpeningProbability float64          `yaml:"random_opening_probability"` // of a game to begin with random actions
	RandomOpeningPlies       int              `yaml:"random_opening_plies"`       // such a game begins with 1 to this many
	TemperaturePlies         int              `yaml:"temperature_plies"`          // actions before this ply are drawn from the policy
	Temperature              float64          `yaml:"temperature"`                // above 1 flattens, below 1 sharpens that policy
	Resign                   Resign           `yaml:"resign"`                     // when a decided game is broken off
	Search                   mcts.Config      `yaml:"search"`
	SimulationSchedule       []SimulationStep `yaml:"simulation_schedule"` // overrides search.simulations, ascending
	GameSchedule             []GameStep       `yaml:"game_schedule"`       // overrides options of the game, ascending
}

// SimulationStep is one step of a schedule: the simulations a move from a
// generation on.
type SimulationStep struct {
	Generation  int `yaml:"generation"`
	Simulations int `yaml:"simulations"`
}

// GameStep is one step of a schedule: options of the game that self-play has from a
// generation on, such as a limit on its length, instead of those of the run's game.
type GameStep struct {
	Generation int    `yaml:"generation"`
	Options    string `yaml:"options"` // as in a game string, NAME=VALUE,…; empty: those of the run's game
}

// Default returns a configuration for games of some dozens of plies.
func Default() Config {
	return Config{
		ConcurrentGames:          32,
		CachePositions:           1 << 16,
		RandomOpeningProbability: 0.25,
		RandomOpeningPlies:       2,
		TemperaturePlies:         10,
		Temperature:              1,
		SimulationSchedule:       []SimulationStep{},
		GameSchedule:             []GameStep{},
		Resign:                   Resign{ConsecutiveMoves: 0, NoResignProbability: 0.1, MaxFalsePositiveRate: 0.05},
		Search:                   mcts.Default(),
	}
}

// Largest accepted sizes, so that a mistyped number does not ask for all
// memory. Each game in flight holds a tree.
const (
	maxConcurrentGames = 1 << 16
	maxCachePositions  = 1 << 26
)

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var f faults.List
	faults.Within(&f, "concurrent_games", c.ConcurrentGames, 1, maxConcurrentGames)
	faults.Within(&f, "cache_positions", c.CachePositions, 0, maxCachePositions)
	faults.Within(&f, "random_opening_probability", c.RandomOpeningProbability, 0, 1)
	f.Check(c.RandomOpeningPlies >= 0, "random_opening_plies", c.RandomOpeningPlies, "0 or more")
	f.Check(c.TemperaturePlies >= 0, "temperature_plies", c.TemperaturePlies, "0 or more")
	faults.Within(&f, "temperature", c.Temperature, 0.01, 100)
	last := -1
	for i, step := range c.SimulationSchedule {
		field := fmt.Sprintf("simulation_schedule[%d].", i)
		f.Check(step.Generation > last, field+"generation", step.Generation, fmt.Sprintf("more than %d", last))
		f.Check(step.Simulations >= 1, field+"simulations", step.Simulations, "1 or more")
		last = max(last, step.Generation)
	}
	last = -1
	for i, step := range c.GameSchedule {
		f.Check(step.Generation > last, fmt.Sprintf("game_schedule[%d].generation", i), step.Generation, fmt.Sprintf("more than %d", last))
		last = max(last, step.Generation)
	}
	f.Section("resign", c.Resign.Validate())
	f.Section("search", c.Search.Validate())
	return f.Err()
}

// Simulations returns the simulations a move in a generation.
func (c Config) Simulations(generation int) int {
	n := c.Search.Simulations
	for _, step := range c.SimulationSchedule {
		if generation >= step.Generation {
			n = step.Simulations
		}
	}
	return n
}

// GameOptions returns the options of the game that the schedule changes in a generation,
// as in a game string; empty: none.
func (c Config) GameOptions(generation int) (options string) {
	for _, step := range c.GameSchedule {
		if generation >= step.Generation {
			options = step.Options
		}
	}
	return options
}

// Game returns the game that a generation plays: the run's game itself, or the variant
// of it (env.Variants) that the schedule says, unless that could last longer.
func (c Config) Game(generation int, game env.Game, find env.Lookup) (env.Game, error) {
	options := c.GameOptions(generation)
	if options == "" {
		return game, nil
	}
	spec := game.Spec()
	name, err := env.WithOptions(spec.Name, options)
	if err != nil {
		return nil, err
	}
	variant, err := env.Variants(game, find)(name)
	if err != nil {
		return nil, err
	}
	if variant.Spec().MaxPlies > spec.MaxPlies {
		return game, nil
	}
	return variant, nil
}

// MaxSimulations returns the simulations of the largest search of a run.
func (c Config) MaxSimulations() int {
	n := c.Search.Simulations
	for _, step := range c.SimulationSchedule {
		n = max(n, step.Simulations)
	}
	return n
}

// maxLeaves returns how many leaves each of n games in flight may have in a batch:
// when games get few, as many as still fill the batch. To a search without virtual
// loss the number makes no difference; see mcts.Search.Gather.
func (c Config) maxLeaves(n int) int {
	if c.Search.ParallelLeaves > 1 {
		return c.Search.ParallelLeaves
	}
	return max(1, c.ConcurrentGames/max(n, 1))
}
