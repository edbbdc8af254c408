// Package arena plays matches between players and rates them. Package player has the
// players and reads their descriptions; here a player.Factory makes one for every seat of
// every worker.
//
// # First use
//
//	game := connect4.New()
//	a, err := player.Plain(game, "alphabeta:4")
//	…
//	report, err := arena.Play(ctx, arena.Match{
//		Game: game, Players: []player.Factory{a, player.Must(game, "random")}, Games: 100, Seed: 1, Workers: 2, Opening: 4,
//	})
//	fmt.Print(report)
//
// # How a match is played
//
// A match has two players or more, at most one a seat. The last player takes all
// remaining seats: with four seats, A and B are one A and three Bs.
//
// Games come in groups that share an opening, which is a few random actions. The
// opening is played with the players seated in every way there is: 2 games for
// two seats, 3 for A against two Bs, 6 for three players, and 4, 12 or 24 for
// two, three or four players on four seats. All players have every seat equally
// often, next to all others, so that neither seats nor openings favour anyone.
//
// All randomness of a game comes from generators keyed by the match's seed, the
// number of the game and the purpose. A report is therefore the same for any
// number of workers.
//
// With a Gameplayer the games are played elsewhere, such as on other machines: players are
// made there by their player.Spec, and each game passes Match.Check before it counts.
// The report is the same.
//
// With an Adjudication, games on whose winner the players agree end early. Some
// of them are played out nevertheless, and the report says how many of those
// ended otherwise.
//
// # What a report says
//
// A win is 1 point, a loss 0; a win that k seats share is 1/k each, and a draw is
// a win that all seats share. For every player, in all and by seat, a Report has
// the wins, draws and losses, the score, which is points a game, and the equal
// score, which equal players would have.
//
// For every two players it has the difference of their ratings. With two seats
// this is Elo's. With more it is that of the Plackett-Luce model of first places:
// the probability that a seat wins is in proportion to 10^(rating/400). By Luce's
// axiom the odds between two players do not depend on the others, and as all
// games of a match have the same players, the maximum likelihood estimate needs
// no fit: it is the log-odds of the points of the two. A player without points
// has no rating, only an upper bound.
//
// For every player it has its Effort: how many actions it chose, how many
// simulations or positions it searched for them and, if the match has a Clock, how
// long that took.
//
// With an SPRT a match ends as soon as its games tell whether the first player is
// stronger than the second. A GameLog keeps the games of matches as they end, and a match resumes
// from its own.
//
// All intervals have 95% confidence and treat a group, not a game, as one
// observation, because its games share their opening: see
// GroupScore. docs/RATINGS.md has the formulas.
//
// # Questions
//
// An EngineUnderTest is asked about positions one by one, and searches many at a time, in
// batches that they share: for exams (package study/exam) and analyses (package play).
package arena
