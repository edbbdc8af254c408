package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/env/games"
)

// TestPrecedent: what the bundled model reached is told of the settings that it was
// trained with, and of no others.
func TestPrecedent(t *testing.T) {
	game, err := games.New("coerceo")
	require.NoError(t, err)
	c, err := shippedConfig("coerceo")
	require.NoError(t, err)
	for _, harmless := range []string{"seed=7", "memory=8GiB", "duels.share=0", "checkpoints.last=9", "learner.cooldown.after=90", "learner.cooldown.generations=10"} {
		require.NoError(t, configs.Set(&c, harmless))
	}
	require.Equal(t, "trained like this, the bundled model scored 100% against alphabeta:4 at generation 20", precedent(game, &c))
	for _, other := range []string{"learner.cooldown.after=10", "net.channels=96"} {
		changed := c
		require.NoError(t, configs.Set(&changed, other))
		require.Empty(t, precedent(game, &changed))
	}

	none, err := games.New("coerceo:price=1")
	require.NoError(t, err)
	require.Empty(t, precedent(none, &c))
}
