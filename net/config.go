package net

import (
	"tiro/env"
	"tiro/internal/faults"
)

// Config is the shape of a network beyond what its game fixes. The package comment
// draws the network.
type Config struct {
	Channels        int  `yaml:"channels" json:"channels"`                 // width of the trunk
	Blocks          int  `yaml:"blocks" json:"blocks"`                     // residual blocks of the trunk
	Pool            bool `yaml:"pool" json:"pool"`                         // whether each block adds a bias from the means over the board
	OutcomeChannels int  `yaml:"outcome_channels" json:"outcome_channels"` // channels of the 1x1 convolution before the outcome head
	Hidden          int  `yaml:"hidden" json:"hidden"`                     // width of the outcome head's hidden layer; 0 for none

	// Ownership adds a head that predicts ownership and score, for a game whose
	// States are env.OwnershipScorers. It serves learning only.
	Ownership bool `yaml:"ownership" json:"-"`
}

// Inference returns the configuration of the network that plays: without the
// ownership head.
func (c Config) Inference() Config {
	c.Ownership = false
	return c
}

// OwnershipPlanes returns how many planes the ownership head has: first one for each owner
// class of a cell, then one for the score of each seat. Without that head both are 0.
func (c Config) OwnershipPlanes(spec env.Spec) (ownership, score int) {
	if !c.Ownership || spec.OwnershipClasses == 0 {
		return 0, 0
	}
	return spec.OwnershipClasses, spec.Players
}

// Default returns a network that learns small boards on a few cores.
func Default() Config {
	return Config{Channels: 64, Blocks: 4, Pool: true, OutcomeChannels: 8, Hidden: 64}
}

// The largest accepted sizes, which no network that a CPU can train comes near. They
// keep a hostile or mistyped configuration from taking all memory.
const (
	maxChannels = 1024
	maxBlocks   = 100
	maxHidden   = 4096
)

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var f faults.List
	faults.Within(&f, "channels", c.Channels, 1, maxChannels)
	faults.Within(&f, "blocks", c.Blocks, 0, maxBlocks)
	faults.Within(&f, "outcome_channels", c.OutcomeChannels, 1, maxChannels)
	faults.Within(&f, "hidden", c.Hidden, 0, maxHidden)
	return f.Err()
}
