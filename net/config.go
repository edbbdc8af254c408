package net

import (
	"tiro/env"
	"tiro/internal/faults"
)

// Config is the shape of a network, apart from the sizes that its game determines. The package
// comment describes the network.
type Config struct {
	Channels        int  `yaml:"channels" json:"channels"`                 // width of the trunk
	Blocks          int  `yaml:"blocks" json:"blocks"`                     // residual blocks of the trunk
	Pool            bool `yaml:"pool" json:"pool"`                         // whether each block adds a bias from the means over the board
	OutcomeChannels int  `yaml:"outcome_channels" json:"outcome_channels"` // channels of the 1x1 convolution before the outcome head
	Hidden          int  `yaml:"hidden" json:"hidden"`                     // width of the outcome head's hidden layer; 0 for none

	// Networks of Coerceo that always see the clocks (env.Clocked) take long quiet games for draws.
	ClockHorizon int `yaml:"clock_horizon" json:"clock_horizon,omitempty"` // plies before a limit in which the network sees it; 0: always

	// Ownership adds a head that predicts ownership and score, for a game whose States are
	// env.OwnershipScorers. The head is used for learning only.
	Ownership bool `yaml:"ownership" json:"-"`
}

// Inference returns the configuration of the network for play, which has no ownership head.
func (c Config) Inference() Config {
	c.Ownership = false
	return c
}

// Observe writes the position s as the network sees it to x [Planes, Height, Width].
func (c Config) Observe(s env.State, x []float32) {
	s.Observe(x)
	if c.ClockHorizon == 0 {
		return
	}
	if clocked, ok := s.(env.Clocked); ok {
		clocked.ObserveLate(x, c.ClockHorizon)
	}
}

// OwnershipPlanes returns the number of planes of the ownership head: one for each owner class of
// a cell, followed by one for the score of each seat. Both are 0 without the head.
func (c Config) OwnershipPlanes(spec env.Spec) (ownership, score int) {
	if !c.Ownership || spec.OwnershipClasses == 0 {
		return 0, 0
	}
	return spec.OwnershipClasses, spec.Players
}

// Default returns a configuration suited to small boards and a few cores.
func Default() Config {
	return Config{Channels: 64, Blocks: 4, Pool: true, OutcomeChannels: 8, Hidden: 64}
}

// Upper limits, far above any network that a CPU can train. They keep a hostile or mistyped
// configuration from exhausting the memory.
const (
	maxChannels = 1024
	maxBlocks   = 100
	maxHidden   = 4096
	maxHorizon  = 10_000
)

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var f faults.List
	faults.Within(&f, "channels", c.Channels, 1, maxChannels)
	faults.Within(&f, "blocks", c.Blocks, 0, maxBlocks)
	faults.Within(&f, "outcome_channels", c.OutcomeChannels, 1, maxChannels)
	faults.Within(&f, "hidden", c.Hidden, 0, maxHidden)
	faults.Within(&f, "clock_horizon", c.ClockHorizon, 0, maxHorizon)
	return f.Err()
}
