package net_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/net"
	"tiro/net/nettest"
)

// TestGrownNetworkComputesTheSame: according to the reference, a grown network has the same
// output as the small one until the weights at zero change.
func TestGrownNetworkComputesTheSame(t *testing.T) {
	spec := nettest.Spec(3, [3]int{2, 4, 3}, 2)
	rapid.Check(t, func(t *rapid.T) {
		more := func(field string, least int) int { return rapid.IntRange(least, least+3).Draw(t, field) }
		pool, hidden := rapid.Bool().Draw(t, "pool"), rapid.IntRange(0, 3).Draw(t, "hidden")
		c := net.Config{
			Channels: more("channels", 1), Blocks: more("blocks", 0), Pool: pool, OutcomeChannels: more("outcome channels", 1),
			Hidden: hidden, Ownership: rapid.Bool().Draw(t, "ownership"),
		}
		small := nettest.Weights(spec, c, env.NewRand(rapid.Uint64().Draw(t, "seed")))
		c.Channels, c.Blocks, c.OutcomeChannels = more("more channels", c.Channels), more("more blocks", c.Blocks), more("more outcome channels", c.OutcomeChannels)
		c.Pool, c.Ownership = pool || rapid.Bool().Draw(t, "new pool"), rapid.Bool().Draw(t, "new ownership")
		if hidden > 0 {
			c.Hidden = more("more hidden", hidden)
		}
		grown := net.NewWeights(spec, c, env.NewRand(7))
		fresh := grown.Clone()
		require.NoError(t, grown.GrowFrom(small))
		x := nettest.Fill(make([]float32, spec.Inputs()), env.NewRand(9))
		policy, outcome := nettest.New(small).Run(x)
		grownPolicy, grownOutcome := nettest.New(grown).Run(x)
		require.InDeltaSlice(t, policy, grownPolicy, 1e-9)
		require.InDeltaSlice(t, outcome, grownOutcome, 1e-9)
		if c.Channels > small.Config.Channels { // added units do not start at zero
			last := len(grown.Tensor("stem.weight")) - 1
			require.Equal(t, fresh.Tensor("stem.weight")[last], grown.Tensor("stem.weight")[last])
			require.NotZero(t, grown.Tensor("stem.weight")[last])
		}
		if c == small.Config {
			require.Equal(t, small.Flat(), grown.Flat())
		}
	})
}

// TestNetworksOnlyGrow: a network with a smaller field is rejected and unchanged.
func TestNetworksOnlyGrow(t *testing.T) {
	spec := nettest.Spec(2, [3]int{2, 3, 3}, 2)
	c := net.Config{Channels: 4, Blocks: 2, Pool: true, OutcomeChannels: 3, Hidden: 5}
	small := nettest.Weights(spec, c, env.NewRand(1))
	for want, change := range map[string]func(c *net.Config){
		"channels is 3":         func(c *net.Config) { c.Channels = 3 },
		"blocks is 1":           func(c *net.Config) { c.Blocks = 1 },
		"pool is false":         func(c *net.Config) { c.Pool = false },
		"outcome_channels is 2": func(c *net.Config) { c.OutcomeChannels = 2 },
		"hidden is 0":           func(c *net.Config) { c.Hidden = 0 },
	} {
		other := c
		change(&other)
		w := net.NewWeights(spec, other, env.NewRand(2))
		before := w.Clone()
		require.ErrorContains(t, w.GrowFrom(small), "net: grow: "+want)
		require.Equal(t, before.Flat(), w.Flat())
	}
	c.Hidden = 0
	flat := net.NewWeights(spec, c, env.NewRand(1))
	require.ErrorContains(t, small.GrowFrom(flat), "hidden is 5")
}

// TestGrowToAnotherBoard: on a board of another size, the layer that reads all cells is
// interpolated as computed by hand, and everything else is the same.
func TestGrowToAnotherBoard(t *testing.T) {
	for _, hidden := range []int{0, 2} {
		c := net.Config{Channels: 2, Blocks: 1, Pool: true, OutcomeChannels: 1, Hidden: hidden}
		small := nettest.Weights(nettest.Spec(2, [3]int{2, 2, 3}, 1), c, env.NewRand(1))
		layer := "outcome.out.weight"
		if hidden > 0 {
			layer = "outcome.hidden.weight"
		}
		copy(small.Tensor(layer), []float32{
			0, 4, 8,
			2, 6, 16,
		})
		for _, test := range []struct {
			height, width int
			want          []float32
		}{
			{2, 3, []float32{0, 4, 8, 2, 6, 16}},
			{3, 5, []float32{0, 2, 4, 6, 8, 1, 3, 5, 8.5, 12, 2, 4, 6, 11, 16}},
			{3, 3, []float32{0, 4, 8, 1, 5, 12, 2, 6, 16}},
			{1, 3, []float32{0, 4, 8}},
			{2, 1, []float32{0, 2}},
		} {
			w := net.NewWeights(nettest.Spec(2, [3]int{2, test.height, test.width}, 1), c, env.NewRand(2))
			before := slices.Clone(small.Flat())
			require.NoError(t, w.GrowFrom(small))
			require.Equal(t, before, small.Flat())
			for i, tensor := range w.Tensors() {
				if tensor.Name == layer {
					require.InDeltaSlice(t, test.want, tensor.Data[:len(test.want)], 1e-6, "%d x %d", test.height, test.width)
					continue
				}
				require.Equal(t, small.Tensors()[i], tensor)
			}
		}
	}
}
