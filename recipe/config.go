package recipe

import (
	"fmt"

	"tiro/configs"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/net/graph"
	"tiro/replay"
	"tiro/rundir"
	"tiro/selfplay"
)

// Config is the complete configuration of a run.
type Config struct {
	Game               string           `yaml:"game"`                // game string
	Seed               uint64           `yaml:"seed"`                // seed of all random draws
	CPUHours           float64          `yaml:"cpu_hours,omitempty"` // CPU time of the whole run, after which it ends; 0 for no limit
	GamesPerGeneration int              `yaml:"games_per_generation"`
	GenerationSchedule []GenerationStep `yaml:"generation_schedule"`   // overrides games_per_generation, ascending
	GivenGames         GivenGames       `yaml:"given_games,omitempty"` // imported games, learned from in one generation
	Memory             configs.Bytes    `yaml:"memory"`                // memory limit of the run; 0 for none
	Disk               configs.Bytes    `yaml:"disk"`                  // limit on the disk space of checkpoints and episodes; 0 for none
	Net                net.Config       `yaml:"net"`
	Selfplay           selfplay.Config  `yaml:"selfplay"`
	Replay             replay.Config    `yaml:"replay"`
	Learner            Learner          `yaml:"learner"`
	Checkpoints        rundir.Retention `yaml:"checkpoints"` // checkpoints to keep, and games outside the window
	Duels              Duels            `yaml:"duels"`
}

// Learner configures the training steps.
type Learner struct {
	BatchSize         int     `yaml:"batch_size"`
	LearningRate      float64 `yaml:"learning_rate"`
	WarmupSteps       int     `yaml:"warmup_steps"` // number of steps over which the learning rate rises from 0
	LearningRateDrops []Drop  `yaml:"learning_rate_drops"`

	// Cooldown reduces the learning rate to 0 at the end of a run.
	Cooldown Cooldown `yaml:"cooldown"`

	// SearchValueWeight is the weight of the search's value in the value target, 0 to 1.
	// The game's result has the remaining weight.
	SearchValueWeight float64 `yaml:"search_value_weight"`

	// Discount is the factor applied to a game's result for each ply before the end, above
	// 0, at most 1. The remainder counts as a draw.
	Discount float64 `yaml:"discount"`

	// PolicySurpriseWeight is the fraction of the draws from a game that are weighted by
	// the change from the network's policy to the search's, 0 to 1. The other draws are
	// uniform.
	PolicySurpriseWeight float64 `yaml:"policy_surprise_weight"`

	// EMADecay is the decay per step of the exponential moving average of the weights,
	// which plays; below 1. With 0 the newest weights play.
	EMADecay float64 `yaml:"ema_decay"`

	Optimizer graph.Config `yaml:"optimizer"`
}

// GenerationStep is the number of self-play games in a generation and later ones.
type GenerationStep struct {
	Generation int `yaml:"generation"`
	Games      int `yaml:"games"`
}

// Games returns the number of games in a generation.
func (c *Config) Games(generation int) int {
	if c.GivenGames.In(generation) {
		return c.GivenGames.Games
	}
	n := c.GamesPerGeneration
	for _, step := range c.GenerationSchedule {
		if generation >= step.Generation {
			n = step.Games
		}
	}
	return n
}

// SetGeneration replaces all schedules with their values at the given generation: the
// number of games, the simulations and the options of the game.
func (c *Config) SetGeneration(generation int) {
	c.GamesPerGeneration, c.GenerationSchedule = c.Games(generation), nil
	options := c.Selfplay.GameOptions(generation)
	c.Selfplay.Search.Simulations, c.Selfplay.SimulationSchedule = c.Selfplay.Simulations(generation), nil
	if c.Selfplay.GameSchedule = nil; options != "" {
		c.Selfplay.GameSchedule = []selfplay.GameStep{{Options: options}}
	}
}

// MaxGames returns the largest number of games in any generation.
func (c *Config) MaxGames() int {
	n := c.GamesPerGeneration
	for _, step := range c.GenerationSchedule {
		n = max(n, step.Games)
	}
	return n
}

// Drop multiplies the learning rate by a factor, starting from a step of the run.
type Drop struct {
	Step   int     `yaml:"step"`
	Factor float64 `yaml:"factor"`
}

// Cooldown reduces the learning rate linearly over a number of generations, to 0 at the end
// of the last one (cf. the annealing of Hu et al. 2024, "MiniCPM", section 4). Later
// generations have the original rate again.
type Cooldown struct {
	// Share is the fraction of Config.CPUHours at the end of the run, below 1, over which the rate
	// falls. The generations are planned when the first of them begins. 0: nothing is planned.
	Share       float64 `yaml:"share,omitempty"`
	After       int     `yaml:"after"`       // generation at the end of which the rate begins to fall
	Generations int     `yaml:"generations"` // number of generations; 0 for no cool-down
}

// Factor returns the factor of the learning rate in a generation after the given part of
// its steps, 0 to 1.
func (c Cooldown) Factor(generation int, part float64) float64 {
	if generation <= c.After || generation > c.Last() {
		return 1
	}
	return (float64(c.Last()-generation) + 1 - part) / float64(c.Generations)
}

// KeepPlan keeps the planned generations of the cool-down in old, the configuration of the same
// run after generation newest, unless c has its own, or has only After, which cancels the
// cool-down. A cool-down from generation 0 on was not planned. With more CPU time, a run whose
// cool-down is complete plans another one.
func (c *Config) KeepPlan(old *Config, newest int) {
	plan := &c.Learner.Cooldown
	if plan.After == 0 && plan.Generations == 0 && old.Learner.Cooldown.After > 0 {
		plan.After, plan.Generations = old.Learner.Cooldown.After, old.Learner.Cooldown.Generations
	}
	if newest >= plan.Last() && c.CPUHours > old.CPUHours {
		*plan = plan.Unplanned()
	}
}

// Unplanned returns c without the generations that a run has planned for its CPU time.
func (c Cooldown) Unplanned() Cooldown {
	if c.Share > 0 {
		c.After, c.Generations = 0, 0
	}
	return c
}

// Last returns the generation at the end of which the learning rate is 0.
func (c Cooldown) Last() int { return c.After + c.Generations }

// Default returns reasonable settings for a game of a few dozen plies.
func Default(game string) Config {
	return Config{
		Game:               game,
		Seed:               1,
		GamesPerGeneration: 256,
		GenerationSchedule: []GenerationStep{},
		Memory:             4 << 30,
		Disk:               20 << 30,
		Net:                net.Default(),
		Selfplay:           selfplay.Default(),
		Replay:             replay.Default(),
		Learner: Learner{
			BatchSize:         256,
			LearningRate:      1e-3,
			WarmupSteps:       100,
			LearningRateDrops: []Drop{},
			SearchValueWeight: 0.5,
			Discount:          1,
			Optimizer:         graph.Default(),
		},
		Checkpoints: rundir.Retention{Last: 5, Every: 10},
		Duels:       Duels{Share: 0.1, Every: 5, Anchor: "random"},
	}
}

// maxGenerations is the largest generation accepted in a setting.
const maxGenerations = 1 << 24

// maxHours is the largest CPU time of a run, about a century.
const maxHours = 1_000_000

// maxGames is the largest number of games per generation.
const maxGames = 1 << 24

// Validate returns an error that lists all fields out of range.
func (c Config) Validate() error {
	var f faults.List
	check := f.Check
	check(c.Game != "", "game", `""`, "the name of a game")
	checkGames := func(field string, games int) {
		check(games >= 1 && games <= maxGames, field, games, fmt.Sprintf("1 to %d", maxGames))
	}
	checkGames("games_per_generation", c.GamesPerGeneration)
	last := -1
	for i, step := range c.GenerationSchedule {
		field := fmt.Sprintf("generation_schedule[%d].", i)
		check(step.Generation > last, field+"generation", step.Generation, fmt.Sprintf("more than %d", last))
		checkGames(field+"games", step.Games)
		last = max(last, step.Generation)
	}
	check(c.CPUHours >= 0 && c.CPUHours <= maxHours, "cpu_hours", c.CPUHours, fmt.Sprintf("0 to %d", maxHours))
	check(c.CPUHours > 0 || c.Learner.Cooldown.Share == 0, "cpu_hours", c.CPUHours, "above 0 with learner.cooldown.share")
	check(c.Memory >= 0 && c.Memory <= configs.MaxBytes, "memory", c.Memory, "an amount or none")
	check(c.Disk >= 0 && c.Disk <= configs.MaxBytes, "disk", c.Disk, "an amount or none")
	f.Section("given_games", c.GivenGames.validate())
	f.Section("net", c.Net.Validate())
	f.Section("selfplay", c.Selfplay.Validate())
	f.Section("replay", c.Replay.Validate())
	l := &c.Learner
	check(l.BatchSize >= 1 && l.BatchSize <= rundir.MaxBatch, "learner.batch_size", l.BatchSize, fmt.Sprintf("1 to %d", rundir.MaxBatch))
	check(l.LearningRate > 0 && l.LearningRate <= 10, "learner.learning_rate", l.LearningRate, "above 0, at most 10")
	check(l.WarmupSteps >= 0, "learner.warmup_steps", l.WarmupSteps, "0 or more")
	check(l.SearchValueWeight >= 0 && l.SearchValueWeight <= 1, "learner.search_value_weight", l.SearchValueWeight, "0 to 1")
	check(l.Discount > 0 && l.Discount <= 1, "learner.discount", l.Discount, "above 0, at most 1")
	check(l.PolicySurpriseWeight >= 0 && l.PolicySurpriseWeight <= 1, "learner.policy_surprise_weight", l.PolicySurpriseWeight, "0 to 1")
	check(l.EMADecay >= 0 && l.EMADecay < 1, "learner.ema_decay", l.EMADecay, "0 or more, below 1")
	for i, d := range l.LearningRateDrops {
		check(d.Step >= 0, fmt.Sprintf("learner.learning_rate_drops[%d].step", i), d.Step, "0 or more")
		check(d.Factor > 0 && d.Factor <= 1, fmt.Sprintf("learner.learning_rate_drops[%d].factor", i), d.Factor, "above 0, at most 1")
	}
	check(l.Cooldown.Share >= 0 && l.Cooldown.Share < 1, "learner.cooldown.share", l.Cooldown.Share, "0 or more, below 1")
	check(l.Cooldown.After >= 0 && l.Cooldown.After <= maxGenerations, "learner.cooldown.after", l.Cooldown.After, fmt.Sprintf("0 to %d", maxGenerations))
	check(l.Cooldown.Generations >= 0 && l.Cooldown.Generations <= maxGenerations, "learner.cooldown.generations", l.Cooldown.Generations, fmt.Sprintf("0 to %d", maxGenerations))
	f.Section("learner.optimizer", l.Optimizer.Validate())
	f.Section("checkpoints", c.Checkpoints.Validate())
	check(!c.Selfplay.Asynchronous || c.Checkpoints.Last >= 2, "checkpoints.last", c.Checkpoints.Last, "2 or more with selfplay.asynchronous, since the second newest checkpoint plays")
	f.Section("duels", c.Duels.Validate())
	return f.Err()
}
