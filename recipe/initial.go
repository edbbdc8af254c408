package recipe

import (
	"tiro/env"
	"tiro/net"
)

// drawWeights is the purpose of the random draws of untrained weights. Those of package
// train, which come next, and of self-play are others.
const drawWeights = 16

// InitialWeights returns the untrained weights of a run of the game of spec. They depend
// on seed and network alone.
func (c *Config) InitialWeights(spec env.Spec) *net.Weights {
	return net.NewWeights(spec, c.Net, env.NewRand(c.Seed, 0, 0, drawWeights))
}
