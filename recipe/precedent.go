package recipe

import (
	"slices"

	"tiro/configs"
	"tiro/models/card"
)

// Precedent returns the first rated generation of a card's learning curve, if its network
// was trained from random weights with the settings of config until then, and otherwise
// nil.
func Precedent(c card.Card, config *Config) *card.Point {
	i := slices.IndexFunc(c.Curve, func(p card.Point) bool { return p.Generation > 0 })
	before, now := Default(""), *config
	if len(c.Origins) > 0 || i < 0 || before.Decode(card.File, []byte(c.Config)) != nil {
		return nil
	}
	p := &c.Curve[i]
	for _, c := range []*Config{&before, &now} {
		if c.Learner.Cooldown.After >= p.Generation || c.Learner.Cooldown.Generations == 0 {
			c.Learner.Cooldown = Cooldown{}
		}
	}
	matters := func(change configs.Change) bool {
		return !slices.Contains([]string{"seed", "cpu_hours", "memory", "disk", "checkpoints", "duels"}, change.Section())
	}
	if slices.ContainsFunc(configs.Changes(&before, &now), matters) {
		return nil
	}
	return p
}
