package recipe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/models/bundled"
	"tiro/recipe"
)

// TestPrecedent: the bundled model is a precedent for the settings with which it was
// trained, and for no others.
func TestPrecedent(t *testing.T) {
	model, err := bundled.Find("azacru:players=4")
	require.NoError(t, err)
	c, err := recipe.Shipped("azacru:players=4")
	require.NoError(t, err)
	for _, harmless := range []string{"seed=7", "memory=8GiB", "duels.share=0", "checkpoints.last=9", "learner.cooldown.after=90", "learner.cooldown.generations=10"} {
		require.NoError(t, configs.Set(&c, harmless))
	}
	p := recipe.Precedent(model.Card, &c)
	require.NotNil(t, p)
	require.Equal(t, 35, p.Generation)
	for _, other := range []string{"learner.cooldown.after=9", "net.channels=96"} {
		changed := c
		require.NoError(t, configs.Set(&changed, other))
		require.Nil(t, recipe.Precedent(model.Card, &changed))
	}

	// A warm start also depends on the training before it.
	model, err = bundled.Find("shacru")
	require.NoError(t, err)
	require.NotEmpty(t, model.Card.Origins)
	c = recipe.Default("")
	require.NoError(t, c.Decode("card.json", []byte(model.Card.Config)))
	require.Nil(t, recipe.Precedent(model.Card, &c))
}
