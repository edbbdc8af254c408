package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// measured are constants as those of docs/CLUSTER.md.
func measured() constants {
	return constants{
		games: 1000, slots: 32, cores: 4, coreSeconds: 2, spread: 0.4, solo: 0.5, intake: 0.001, lease: 0.0001,
		network: 1e6, message: 800, bandwidth: 125e6, latency: 0.001, learn: 30,
	}
}

// TestOneWorker: all that one worker does is compute, so that a generation takes what
// its games take.
func TestOneWorker(t *testing.T) {
	c := measured()
	sum := 0.0
	for _, x := range c.lengths() {
		sum += x
	}
	require.InEpsilon(t, c.coreSeconds*float64(c.games), sum, 0.05)
	o := simulate(&c, 1)
	require.InEpsilon(t, sum/float64(c.cores), o.selfplay, 0.02)
	require.InEpsilon(t, 1, o.busy, 0.02)
	require.Equal(t, "workers", o.bound)
}

// TestBounds: what is slow bounds, and nothing is faster than it.
func TestBounds(t *testing.T) {
	for _, test := range []struct {
		bound   string
		workers int
		change  func(c *constants)
		atLeast float64
	}{
		{"workers", 2, func(*constants) {}, 1000 * 2 / 8 * 0.95},
		{"learner", 1000, func(*constants) {}, 0.5},
		{"trainer's core", 1000, func(c *constants) { c.intake = 0.1 }, 100},
		{"trainer's line", 1000, func(c *constants) { c.network = 1e8 }, 800},
		{"longest game", 1000, func(c *constants) { c.coreSeconds, c.solo = 100, 60 }, 6},
	} {
		c := measured()
		test.change(&c)
		o := simulate(&c, test.workers)
		require.Equal(t, test.bound, o.bound)
		require.GreaterOrEqual(t, o.selfplay, test.atLeast, test.bound)
		require.LessOrEqual(t, o.busy, 1.0)
	}
	c := measured()
	require.Equal(t, 10+c.learn, c.generation(10))
	c.asynchronous = true
	require.Equal(t, c.learn, c.generation(c.learn/2))
	require.Equal(t, 2*c.learn, c.generation(2*c.learn))
	few, more := measured(), measured()
	require.Less(t, simulate(&more, 20).selfplay, simulate(&few, 10).selfplay)
}
