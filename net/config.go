package net

import (
	"errors"
	"fmt"

	"tiro/env"
)

// Config is the shape of a network beyond what its game fixes. The package
// comment draws the network.
type Config struct {
	Channels        int  `yaml:"channels" json:"channels"`                 // width of the trunk
	Blocks          int  `yaml:"blocks" json:"blocks"`                     // residual blocks of the trunk
	Pool            bool `yaml:"pool" json:"pool"`                         // whether each block adds a bias from the means over the board
	OutcomeChannels int  `yaml:"outcome_channels" json:"outcome_channels"` // channels that the outcome head reads the trunk through
	Hidden          int  `yaml:"hidden" json:"hidden"`                     // width of the outcome head's hidden layer; 0 for none
	Ownership       bool `yaml:"ownership" json:"-"`                       // whether a head predicts ownership and score, in learning only; the States of the game must be env.OwnershipScorers
}

// Playing returns the configuration of what plays: without the ownership head,
// which is for learning alone.
func (c Config) Inference() Config {
	c.Ownership = false
	return c
}

// OwnershipPlanes returns how many planes the ownership head has, in their order:
// classes of the cells' owners, scores by seat. Without that head both are 0.
func (c Config) OwnershipPlanes(spec env.Spec) (ownership, scores int) {
	if !c.Ownership || spec.OwnershipClasses == 0 {
		return 0, 0
	}
	return spec.OwnershipClasses, spec.Players
}

// Default returns a network that learns small boards on a few cores.
func Default() Config {
	return Config{Channels: 64, Blocks: 4, Pool: true, OutcomeChannels: 8, Hidden: 64}
}

// Largest accepted sizes. They keep a hostile or mistyped configuration from
// asking for all memory; no network that a CPU can train comes near.
const (
	maxChannels = 1024
	maxBlocks   = 100
	maxHidden   = 4096
)

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var faults []error
	within := func(field string, value, low, high int) {
		if value < low || value > high {
			faults = append(faults, fmt.Errorf("net: %s is %d; want %d to %d", field, value, low, high))
		}
	}
	within("channels", c.Channels, 1, maxChannels)
	within("blocks", c.Blocks, 0, maxBlocks)
	within("outcome_channels", c.OutcomeChannels, 1, maxChannels)
	within("hidden", c.Hidden, 0, maxHidden)
	return errors.Join(faults...)
}
