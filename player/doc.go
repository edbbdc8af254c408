// Package player implements players, and the descriptions that select them. Package arena
// plays matches between players.
//
// # First use
//
//	spec, err := player.Parse("alphabeta:4", 0)
//	factory, err := spec.Factory(game, player.Resources{})
//	p, err := factory.New()
//	action, err := p.Choose(ctx, state, history, rng)
//
// A Spec describes a player. Parse reads it from text and Spec.String prints it; matches,
// ratings, pages and, as JSON, other machines all receive the Spec itself. A Factory makes the
// players of a Spec for a game, one for every seat of every worker, so that goroutines never
// share a player. The package opens no networks and starts no programs; functions in Resources
// do.
//
// # Duties of a player
//
// A player returns legal actions, and returns soon after its context is done. All of its
// randomness comes from the generator in its arguments. A player that keeps state between
// moves implements NewGamer.
package player
