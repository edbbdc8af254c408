package envtest

import (
	"fmt"

	"tiro/env"
)

// checkFinishing checks that a Finisher finds all actions that end the game, and appends
// only legal actions, in order.
func checkFinishing(game env.Game) error {
	after, found := game.New(), make([]env.Action, 0, game.Spec().Actions())
	return eachAble(walk{game: game, key: 18, games: 40, plies: 4000}, func(p *stop, s env.Finisher) error {
		if len(p.legal) == 0 {
			return nil
		}
		found = s.Finishing(found[:0], p.legal)
		rest := found
		for _, a := range p.legal {
			named := len(rest) > 0 && rest[0] == a
			if named {
				rest = rest[1:]
			}
			after.CopyFrom(p.state)
			after.Play(a)
			if _, over := after.Result(); over && !named {
				return fmt.Errorf("action %d (%s) ends the game, but Finishing omits it", a, p.state.ActionString(a))
			}
		}
		if len(rest) > 0 {
			return fmt.Errorf("action %d of Finishing is illegal or out of order", rest[0])
		}
		return nil
	})
}
