// Package arena lets players meet and says who is stronger.
//
// A Player chooses actions; a Maker makes players, one for every seat of every
// worker, so that no two goroutines share one. Parse reads the names that a
// person types:
//
//	random         any legal action
//	greedy         the best position after one action, by the game's own score
//	alphabeta:4    looks 4 actions ahead with the game's own score
//	mcts:400       searches with 400 random playouts a move
//
// Whoever knows more kinds of player (a network, say) hands them to Parse as
// further Forms; the arena itself imports no network.
//
// # First use
//
//	game := connect4.New()
//	a, err := arena.Parse(game, "alphabeta:4")
//	…
//	report, err := arena.Play(ctx, arena.Match{
//		Game: game, A: a, B: arena.Random(), Games: 100, Seed: 1, Workers: 2, Opening: 4,
//	})
//	fmt.Print(report)
//
// # How a match is played
//
// Games come in groups, one opening a group. The opening is a few random
// actions, the same for every game of its group; A then plays the opening from
// each seat in turn, against B on all the other seats. So for two players a
// group is a pair of games with colours swapped, and an opening that favours
// one colour favours nobody.
//
// Everything random in a game comes from generators keyed by the match's seed,
// the number of the game and the purpose. A report is therefore the same for
// any number of workers.
//
// # What the numbers mean
//
// The score is A's share of the points: a win counts 1, a draw between two 1/2
// (between n players 1/n), a loss 0. Its interval treats a group, not a game,
// as one observation, because the games of a group share their opening; see
// Interval. Elo is the logistic transform of the score and of both ends of its
// interval. A score of 100% has no Elo difference; only its lower end is known.
//
// # Duties of a player
//
// It returns legal actions, gives up soon after its context is done, takes all
// its randomness from the generator it is handed, and, if it keeps anything
// from one move to the next, has a method NewGame that forgets it.
package arena
