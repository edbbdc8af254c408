package main

import (
	"fmt"
	"slices"
	"strings"

	"tiro/configs"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/rundir"
)

// precedent says what became of the bundled model for a game at a generation early
// on, if it was trained with the same settings; otherwise nothing.
func precedent(game env.Game, config *rundir.Config) string {
	model, err := bundled.Find(game.Spec().Name)
	if err != nil {
		return ""
	}
	var before rundir.Config
	if before, err = cardConfig(model.Card); err != nil || len(differences(&before, config)) > 0 {
		return ""
	}
	for _, p := range model.Card.Curve {
		if p.Generation > 0 {
			return fmt.Sprintf("trained like this, the bundled model scored %.0f%% against %s at generation %d",
				100*p.Reference.Score.Value, p.Reference.Opponent, p.Generation)
		}
	}
	return ""
}

// cardConfig returns the configuration that a card's network was trained with.
func cardConfig(c card.Card) (rundir.Config, error) {
	config := rundir.Default("")
	err := config.Decode(card.File, []byte(c.Config))
	return config, err
}

// differences returns the settings that differ and matter to what is learned.
func differences(before, now *rundir.Config) []string {
	return slices.DeleteFunc(configs.Changes(before, now), func(change string) bool {
		key, _, _ := strings.Cut(change, " ")
		section, _, _ := strings.Cut(key, ".")
		return slices.Contains([]string{"seed", "memory", "disk", "checkpoints", "duels"}, section)
	})
}
