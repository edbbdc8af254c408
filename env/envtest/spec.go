package envtest

import "tiro/env"

// WithSpec returns game with a changed Spec, and without optional abilities.
func WithSpec(game env.Game, change func(*env.Spec)) env.Game {
	g := changed{game, game.Spec()}
	change(&g.spec)
	return g
}

type changed struct {
	env.Game
	spec env.Spec
}

func (g changed) Spec() env.Spec { return g.spec }
