// Package level names strengths for people: the levels of a game, some 150 Elo apart, from
// one that blunders to one that few people beat.
//
// A level is a number of simulations and a temperature, by which the player draws its moves
// from the policy of its search. Both are the same for the whole game: a weak level prefers
// plausible moves and errs a little all the time; it never plays at random, and then as
// well as it can. How strong that is was rated on the ladder of the game with its bundled
// model (make levels; docs/RATINGS.md).
//
// # First use
//
//	player, err := level.Expand(game.Spec().Name, "bundled,level=3")
//	// bundled,sims=2,temperature=0.85
package level
