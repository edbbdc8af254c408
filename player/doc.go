// Package player has the players of games: how they are described, and those of them that
// need no other program. Package arena lets them meet.
//
// # First use
//
//	spec, err := player.Parse("alphabeta:4", 0)
//	factory, err := spec.Factory(game, player.Resources{})
//	p, err := factory.New()
//	action, err := p.Choose(ctx, state, history, rng)
//
// A Spec is the description of a player as a value. It is read from a command line at one
// place, Parse, printed at one, Spec.String, and passed on as it is: to matches, ratings, pages,
// and as JSON to other machines. A Factory makes the players of a Spec for a game, one for
// every seat of every worker, so that no two goroutines share one. The package imports no
// network and starts no program: Options say who opens the one and starts the other.
//
// # Duties of a player
//
// A player returns legal actions and returns soon after its context is done. It takes all
// randomness from the generator it is given. If it keeps state from one move to the next, it
// is a NewGamer.
package player
