package cli

import (
	"fmt"
	"slices"

	"tiro/configs"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/recipe"
)

// precedent says what became of the bundled model for a game at a generation early
// on, if it was trained from random weights with the same settings until then; otherwise
// nothing.
func precedent(game env.Game, config *recipe.Config) string {
	model, err := bundled.Find(game.Spec().Name)
	if err != nil || len(model.Card.Origins) > 0 { // it did not begin with random weights
		return ""
	}
	before, err := cardConfig(model.Card)
	i := slices.IndexFunc(model.Card.Curve, func(p card.Point) bool { return p.Generation > 0 })
	if err != nil || i < 0 {
		return ""
	}
	p, now := model.Card.Curve[i], *config
	for _, c := range []*recipe.Config{&before, &now} {
		if c.Learner.Cooldown.After >= p.Generation {
			c.Learner.Cooldown = recipe.Cooldown{}
		}
	}
	if len(differences(&before, &now)) > 0 {
		return ""
	}
	return fmt.Sprintf("trained like this, the bundled model was %s Elo above %s at generation %d", p.Elo, model.Card.Rated.Anchor, p.Generation)
}

// cardConfig returns the configuration that a card's network was trained with.
func cardConfig(c card.Card) (recipe.Config, error) {
	config := recipe.Default("")
	err := config.Decode(card.File, []byte(c.Config))
	return config, err
}

// differences returns the settings that differ and matter to what is learned.
func differences(before, now *recipe.Config) []configs.Change {
	return slices.DeleteFunc(configs.Changes(before, now), func(change configs.Change) bool {
		return slices.Contains([]string{"seed", "memory", "disk", "checkpoints", "duels"}, change.Section())
	})
}
