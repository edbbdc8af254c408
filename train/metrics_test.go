package train

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/replay"
	"tiro/rundir"
)

// TestLengthLimited: a full board does not count as a limit on length.
func TestLengthLimited(t *testing.T) {
	for name, capped := range map[string]int{"connect4": 0, "coerceo:maxplies=20": 5} {
		game := gameOf(t, name)
		var m rundir.Metrics
		describeGames(&m, game, randomGames(t, game, 5))
		require.Equal(t, capped, m.LengthLimited, m.Endings)
	}
}

// TestBaselineLoss: if the player to move wins half of the positions and loses the other half,
// the baseline is the entropy of a coin toss.
func TestBaselineLoss(t *testing.T) {
	game := gameOf(t, "connect4")
	episodes := randomGames(t, game, 20)
	for i := range episodes {
		episodes[i].Result = env.Value{1, -1}
	}
	b := replay.NewBuffer(game, replay.Keep{}, 0)
	b.Add(episodes)
	c := recipe.Default("connect4").Learner
	c.SearchValueWeight, c.Discount = 0, 1
	w := net.NewWeights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1}, env.NewRand(1))
	l, err := newLearner(&Options{Game: game, Config: recipe.Config{Learner: c}, Backend: kernel.Best()}, w)
	require.NoError(t, err)
	_, baseline, err := l.validate(&b, b.Len(), env.NewRand(1))
	require.NoError(t, err)
	require.InDelta(t, 0.693, baseline, 0.02)
}

// TestWarnings: a fault is reported once, and again after a long absence.
func TestWarnings(t *testing.T) {
	w, c := warnings{}, recipe.Default("connect4")
	var reported []int
	wrong := func(generation int) bool { return generation <= 5 || generation == 12 || generation >= 40 }
	for g := 1; g <= 60; g++ {
		m := rundir.Metrics{Generation: g, Games: 10, Samples: 100, SearchKL: 1, TargetEntropy: 1}
		if wrong(g) {
			m.Duplicates = 10
		}
		for _, f := range w.add(&c, m) {
			require.Equal(t, "repeated games", f.Name)
			reported = append(reported, g)
		}
	}
	require.Equal(t, []int{3, 40}, reported)
}
