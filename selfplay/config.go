package selfplay

import (
	"fmt"
	"math"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/mcts"
)

// Config is the configuration of self-play.
type Config struct {
	ConcurrentGames          int              `yaml:"concurrent_games"`           // per worker; they share batches
	Asynchronous             bool             `yaml:"asynchronous"`               // play a generation with the network of two generations ago while learning from the previous generation
	CachePositions           int              `yaml:"cache_positions"`            // evaluations cached by each worker; 0 turns the cache off
	RandomOpeningProbability float64          `yaml:"random_opening_probability"` // probability that a game begins with random actions
	RandomOpeningPlies       int              `yaml:"random_opening_plies"`       // number of random actions: uniform from 1 to this
	TemperaturePlies         int              `yaml:"temperature_plies"`          // number of plies whose actions are sampled from the policy
	Temperature              float64          `yaml:"temperature"`                // above 1 flattens, below 1 sharpens the policy before sampling
	Search                   mcts.Config      `yaml:"search"`
	SimulationSchedule       []SimulationStep `yaml:"simulation_schedule"` // overrides search.simulations, ascending
	GameSchedule             []GameStep       `yaml:"game_schedule"`       // overrides options of the game, ascending
}

// SimulationStep is a step of a schedule: the number of simulations per move, starting from
// a generation.
type SimulationStep struct {
	Generation  int `yaml:"generation"`
	Simulations int `yaml:"simulations"`
}

// GameStep is a step of a schedule: options of the game in self-play, such as a limit on
// its length, starting from a generation.
type GameStep struct {
	Generation int    `yaml:"generation"`
	Options    string `yaml:"options"` // as in a game string, NAME=VALUE,…; empty for the run's own options
}

// Default returns a configuration for games of a few dozen plies.
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
		Search:                   mcts.Default(),
	}
}

// Limits that guard against typing errors which would exhaust memory. Each game in flight
// has a tree.
const (
	maxConcurrentGames = 1 << 16
	maxCachePositions  = 1 << 26
)

// Validate returns an error that lists all fields out of range.
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
		faults.Within(&f, field+"simulations", step.Simulations, 1, math.MaxInt32)
		last = max(last, step.Generation)
	}
	last = -1
	for i, step := range c.GameSchedule {
		f.Check(step.Generation > last, fmt.Sprintf("game_schedule[%d].generation", i), step.Generation, fmt.Sprintf("more than %d", last))
		last = max(last, step.Generation)
	}
	f.Section("search", c.Search.Validate())
	return f.Err()
}

// Simulations returns the number of simulations per move in a generation.
func (c Config) Simulations(generation int) int {
	n := c.Search.Simulations
	for _, step := range c.SimulationSchedule {
		if generation >= step.Generation {
			n = step.Simulations
		}
	}
	return n
}

// GameOptions returns the scheduled options of the game in a generation, as in a game
// string, or "".
func (c Config) GameOptions(generation int) (options string) {
	for _, step := range c.GameSchedule {
		if generation >= step.Generation {
			options = step.Options
		}
	}
	return options
}

// Game returns the game played in a generation: the variant of game (env.Variants) given by
// the schedule, or game itself if there is none or the variant allows longer games.
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

// MaxSimulations returns the largest number of simulations per move in any generation.
func (c Config) MaxSimulations() int {
	n := c.Search.Simulations
	for _, step := range c.SimulationSchedule {
		n = max(n, step.Simulations)
	}
	return n
}

// maxLeaves returns the maximum number of leaves in a batch for each of n games in flight.
// When few games remain, each contributes more leaves, so that batches stay full. For a
// search without virtual loss the number does not affect the result; see
// mcts.Search.Gather.
func (c Config) maxLeaves(n int) int {
	if c.Search.ParallelLeaves > 1 {
		return c.Search.ParallelLeaves
	}
	return max(1, c.ConcurrentGames/max(n, 1))
}

// DeviceWorkers is the number of workers that replace each worker if a device evaluates: while
// the device evaluates positions of some, the others search.
const DeviceWorkers = 2

// OnDevice adapts c and the number of workers to a device that all workers share. batch is
// the number of positions with which the device is fastest, or 0 if there is no device. Each
// worker is replaced with DeviceWorkers. Their games in flight fill two batches, if the trees
// fit in memory bytes. The games stay the same.
func (c Config) OnDevice(game env.Game, workers, batch int, memory int64) (Config, int) {
	if batch == 0 {
		return c, workers
	}
	all := workers * c.ConcurrentGames
	workers *= DeviceWorkers
	share := func(n int) int { return (n + workers - 1) / workers }
	search := c.Search
	search.Simulations = c.MaxSimulations()
	most := int(min(memory/search.Bytes(game)/int64(workers), maxConcurrentGames))
	c.ConcurrentGames = max(min(share(2*batch), most), share(all))
	c.CachePositions = (c.CachePositions + DeviceWorkers - 1) / DeviceWorkers
	return c, workers
}
