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
	require.Empty(t, precedent(game, &c), "with another network, and fewer considered actions, than then")
	for _, then := range []string{"selfplay.search.gumbel.max_considered_actions=16", "net.channels=48", "net.blocks=4"} {
		require.Empty(t, precedent(game, &c))
		require.NoError(t, configs.Set(&c, then))
	}
	for _, harmless := range []string{"seed=7", "memory=8GiB", "duels.share=0", "checkpoints.last=9"} {
		require.NoError(t, configs.Set(&c, harmless))
	}
	require.Equal(t, "trained like this, the bundled model scored 88% against alphabeta:4 at generation 20", precedent(game, &c))
	require.NoError(t, configs.Set(&c, "net.channels=96"))
	require.Empty(t, precedent(game, &c))

	none, err := games.New("coerceo:price=1")
	require.NoError(t, err)
	require.Empty(t, precedent(none, &c))
}
