package recipe

import (
	"tiro/env"
	"tiro/net"
)

// drawWeights identifies the random draws of initial weights. The next numbers belong to
// package train; self-play uses others.
const drawWeights = 16

// InitialWeights returns the initial random weights of a run of the game with the given
// spec. They depend only on the seed and the network.
func (c *Config) InitialWeights(spec env.Spec) *net.Weights {
	return net.NewWeights(spec, c.Net, env.NewRand(c.Seed, 0, 0, drawWeights))
}
