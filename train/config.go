package train

import (
	"errors"
	"fmt"

	"tiro/configs"
	"tiro/disk"
	"tiro/format"
	"tiro/models"
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
	Checkpoints        models.Keep     `yaml:"checkpoints"` // which generations stay: their checkpoints, and their games once out of the window
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
		Checkpoints: models.Keep{Last: 5, Every: 10},
	}
}

// configHeader is the kind of configuration that a run folder keeps. One that a
// person writes needs no mark.
var configHeader = format.Header{Format: 2, What: "tiro run"}

// Load reads a YAML file over c: what the file does not name stays. The error
// names every unknown and every ill-typed key with line and column. It does not
// Validate, since more may be set.
func (c *Config) Load(path string) error {
	data, err := disk.ReadFile(disk.OS{}, path, configs.MaxSize)
	if err == nil {
		err = c.decode(path, data, false)
	}
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// Decode is Load for text that errors call name.
func (c *Config) Decode(name string, data []byte) error {
	if err := c.decode(name, data, false); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// loadSealed is Load for the configuration of a run, which has a header and a
// checksum.
func (c *Config) loadSealed(fsys disk.FS, path string) error {
	data, err := disk.ReadFile(fsys, path, configs.MaxSize)
	if err != nil {
		return err
	}
	if err := checkSeal(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return c.decode(path, data, true)
}

// decode reads a configuration; one of a run must have a header.
func (c *Config) decode(name string, data []byte, ofRun bool) error {
	document, err := configs.Parse(name, data)
	if err != nil {
		return err
	}
	header, found := document.TakeHeader()
	if found || ofRun {
		err = header.Check(configHeader)
	}
	switch {
	case err != nil && !found:
		return fmt.Errorf("%s: %w; if its first lines, \"format: %d\" and \"what: %s\", were taken out by hand, put them back; a run that never had them is of an older tiro and cannot go on: name another run folder",
			name, err, configHeader.Format, configHeader.What)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return document.Decode(c)
}

// maxBatch bounds the rows of a step: each takes the memory of all activations.
const maxBatch = 1 << 16

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var faults []error
	check := func(ok bool, field string, value any, want string) {
		if !ok {
			faults = append(faults, fmt.Errorf("%s is %v; want %s", field, value, want))
		}
	}
	section := func(name string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	check(c.Game != "", "game", `""`, "the name of a game")
	check(c.GamesPerGeneration >= 1 && c.GamesPerGeneration <= 1<<24, "games_per_generation", c.GamesPerGeneration, "1 to 16777216")
	check(c.Memory >= 0 && c.Memory <= configs.MaxBytes, "memory", c.Memory, "an amount, or none for no bound")
	check(c.Disk >= 0 && c.Disk <= configs.MaxBytes, "disk", c.Disk, "an amount, or none for no bound")
	section("net", c.Net.Validate())
	faults = append(faults, c.Selfplay.Validate(), c.Replay.Validate()) // these name their section
	l := &c.Learner
	check(l.BatchSize >= 1 && l.BatchSize <= maxBatch, "learner.batch_size", l.BatchSize, fmt.Sprintf("1 to %d", maxBatch))
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
	section("learner.optimizer", l.Optimizer.Validate())
	section("checkpoints", c.Checkpoints.Validate())
	return errors.Join(faults...)
}
