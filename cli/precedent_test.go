package cli

import (
	"testing"

	"tiro/recipe"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/env/games"
	"tiro/models/bundled"
)

// TestPrecedent: what the bundled model reached is told of the settings that it was
// trained with, and of no others.
func TestPrecedent(t *testing.T) {
	game, err := games.New("pacru")
	require.NoError(t, err)
	c, err := recipe.Shipped("pacru")
	require.NoError(t, err)
	for _, harmless := range []string{"seed=7", "memory=8GiB", "duels.share=0", "checkpoints.last=9", "learner.cooldown.after=90", "learner.cooldown.generations=10"} {
		require.NoError(t, configs.Set(&c, harmless))
	}
	require.Contains(t, precedent(game, &c), "Elo above mcts:200 at generation 10")
	for _, other := range []string{"learner.cooldown.after=9", "net.channels=96"} {
		changed := c
		require.NoError(t, configs.Set(&changed, other))
		require.Empty(t, precedent(game, &changed))
	}

	game, err = games.New("pacru:meeting=9") // there is no model for it
	require.NoError(t, err)
	c, err = recipe.Shipped("pacru:meeting=9")
	require.NoError(t, err)
	require.Empty(t, precedent(game, &c))

	// A warm start reached what it did by the training before it, too.
	game, err = games.New("shacru")
	require.NoError(t, err)
	model, err := bundled.Find("shacru")
	require.NoError(t, err)
	require.NotEmpty(t, model.Card.Origins)
	c, err = cardConfig(model.Card)
	require.NoError(t, err)
	require.Empty(t, precedent(game, &c))
}
