// Package arena lets players meet and says who is stronger.
//
// A Player chooses actions; a PlayerFactory makes players, one for every seat of every
// worker, so that no two goroutines share one. Parse reads the names that a
// person types:
//
//	random         any legal action
//	greedy         the best position after one action, by the game's own score
//	alphabeta:4    looks 4 actions ahead with the game's own score
//	mcts:400       searches with 400 random playouts a move
//
// Whoever knows more kinds of player (a network, say) hands them to Parse as
// further PlayerKinds; the arena itself imports no network.
//
// # First use
//
//	game := connect4.New()
//	a, err := arena.ParsePlayer(game, "alphabeta:4")
//	…
//	report, err := arena.Play(ctx, arena.Match{
//		Game: game, Players: []arena.PlayerFactory{a, arena.Random()}, Games: 100, Seed: 1, Workers: 2, Opening: 4,
//	})
//	fmt.Print(report)
//
// # How a match is played
//
// A match names two players or more, at most one a seat. The last one takes
// all the seats that are left: of four seats, A and B are one A and three Bs.
//
// Games come in groups, one opening a group. The opening is a few random
// actions, the same for every game of its group; it is then played with the
// players seated in every way there is: 2 games for two seats, 3 for A against
// two Bs, 6 for three players, 4, 12 or 24 for two, three or four of them on
// four seats. So everybody has every seat equally often, beside everybody
// else, and an opening that favours one seat favours nobody.
//
// Everything random in a game comes from generators keyed by the match's seed,
// the number of the game and the purpose. A report is therefore the same for
// any number of workers.
//
// # What the numbers mean
//
// Points are shares of a win: 1 for a win, 0 for a loss, 1/k if k seats share
// it; a draw is a win that all share. Intervals, all of 95%, treat a group, not
// a game, as one observation, because the games of a group share their
// opening; see ShareInterval and RatioInterval.
//
// Of two seats, the report shows A's games won, drawn and lost, its score, which
// is its share of the points, and the Elo difference, which is the logistic
// transform of the score and of both ends of its interval.
//
// Of more seats, it shows for every player, in all and by seat, the first
// places, their share with its interval, the share that chance gives, and the
// mean payoff; and for every two players the difference of their ratings. Those
// are the ratings of Plackett and Luce for first places: a seat wins with a
// chance in proportion to 10^(rating/400). Only first places count, because only
// they are paid: who cannot win any more plays for nothing, and says nothing.
// By Luce's axiom the odds between two players do not depend on who else plays,
// and as all games of a match have the same players, the most likely difference
// is the log-odds of the points that the two have: no fit is needed, for two
// seats it is Elo's, and its interval is that of a share. docs/RATINGS.md has
// the formulas.
//
// A player that has won nothing has no difference, only a bound.
//
// With an Adjudication, games that the players agree on end early. A share of
// them is played on, and the report says how many of those ended otherwise. The
// rule is the same on every seat, and nobody is given a game on its word alone.
//
// # Exams
//
// Where positions can be judged exactly, an Exam says more than a match does: in
// how many of its positions a network, with a search or alone, throws away what
// the position is worth. A worker has several searches under way, whose leaves
// share the evaluator's batches.
//
// # Duties of a player
//
// It returns legal actions, gives up soon after its context is done, takes all
// its randomness from the generator it is handed, and, if it keeps anything
// from one move to the next, has a method NewGame that forgets it.
package arena
