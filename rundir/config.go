package rundir

import (
	"fmt"

	"tiro/configs"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/net/graph"
	"tiro/replay"
	"tiro/selfplay"
)

// Config is the whole configuration of a run.
type Config struct {
	Game               string          `yaml:"game"` // game string
	Seed               uint64          `yaml:"seed"` // of every random draw
	GamesPerGeneration int             `yaml:"games_per_generation"`
	Memory             configs.Bytes   `yaml:"memory"` // the run is to stay below; none: no bound
	Disk               configs.Bytes   `yaml:"disk"`   // checkpoints and episodes are to stay below; none: no bound
	Net                net.Config      `yaml:"net"`
	Selfplay           selfplay.Config `yaml:"selfplay"`
	Replay             replay.Config   `yaml:"replay"`
	Learner            Learner         `yaml:"learner"`
	Checkpoints        Retention       `yaml:"checkpoints"` // which generations stay: their checkpoints, and their games once out of the window
}

// Learner says how rows turn into steps.
type Learner struct {
	BatchSize            int          `yaml:"batch_size"`             // rows of a step
	LearningRate         float64      `yaml:"learning_rate"`          // learning rate
	WarmupSteps          int          `yaml:"warmup_steps"`           // steps over which the rate rises to its full height
	LearningRateDrops    []Drop       `yaml:"learning_rate_drops"`    // when the rate falls
	SearchValueWeight    float64      `yaml:"search_value_weight"`    // share of the search's value in the wanted outcome; the rest is the game's result
	Discount             float64      `yaml:"discount"`               // what a result is worth one ply earlier; the rest counts as a draw; 1: as much
	PolicySurpriseWeight float64      `yaml:"policy_surprise_weight"` // share of the draws from a game that go by how much the search changed the network's mind, the rest is even
	EMADecay             float64      `yaml:"ema_decay"`              // share of the averaged weights, which play, that a step leaves; 0: the newest weights play
	Optimizer            graph.Config `yaml:"optimizer"`
}

// Drop is a change of the learning rate.
type Drop struct {
	Step   int     `yaml:"step"`   // from this step of the run on
	Factor float64 `yaml:"factor"` // the rate is multiplied by this
}

// Default returns settings to start from for a game of some dozens of plies.
func Default(game string) Config {
	return Config{
		Game:               game,
		Seed:               1,
		GamesPerGeneration: 256,
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
		Checkpoints: Retention{Last: 5, Every: 10},
	}
}

// MaxBatch bounds the rows of a step: each takes the memory of all activations.
const MaxBatch = 1 << 16

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var f faults.List
	check := f.Check
	check(c.Game != "", "game", `""`, "the name of a game")
	check(c.GamesPerGeneration >= 1 && c.GamesPerGeneration <= 1<<24, "games_per_generation", c.GamesPerGeneration, "1 to 16777216")
	check(c.Memory >= 0 && c.Memory <= configs.MaxBytes, "memory", c.Memory, "an amount, or none for no bound")
	check(c.Disk >= 0 && c.Disk <= configs.MaxBytes, "disk", c.Disk, "an amount, or none for no bound")
	f.Section("net", c.Net.Validate())
	f.Section("selfplay", c.Selfplay.Validate())
	f.Section("replay", c.Replay.Validate())
	l := &c.Learner
	check(l.BatchSize >= 1 && l.BatchSize <= MaxBatch, "learner.batch_size", l.BatchSize, fmt.Sprintf("1 to %d", MaxBatch))
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
	f.Section("learner.optimizer", l.Optimizer.Validate())
	f.Section("checkpoints", c.Checkpoints.Validate())
	return f.Err()
}
