// Package arena plays matches between players and rates them. The players come from package
// player: a player.Factory makes one for every seat of every worker.
//
// # First use
//
//	game, err := games.New("connect4")
//	a, err := player.Plain(game, "alphabeta:4")
//	…
//	report, err := arena.Play(ctx, arena.Match{
//		Game: game, Players: []player.Factory{a, player.Must(game, "random")}, Games: 100, Seed: 1, Workers: 2, Opening: 4,
//	})
//	fmt.Print(report)
//
// # How a match is played
//
// A match has at least two players, and at most as many as there are seats. The last
// player takes all remaining seats: with four seats, A and B are one A and three Bs.
//
// Games come in groups that share an opening of a few random actions. Each opening is
// played with every seating of the players: 2 games for two seats, 3 for A against two
// Bs, 6 for three players, and 4, 12 or 24 for two, three or four players on four seats.
// All players take every seat equally often, in every arrangement of the others, so
// that neither seats nor openings favour a player.
//
// All randomness of a game comes from generators keyed by the match's seed, the
// number of the game and the purpose. A report is therefore the same for any
// number of workers.
//
// With a Gameplayer, other processes play the games, for example on other machines. They
// make the players from their player.Spec, and each game must pass Match.Check. The report
// is the same.
//
// With an Adjudication, games end early once the players agree on the winner. Some of
// these games are played to their end anyway, and the report counts how many of them
// ended differently.
//
// # Report
//
// A win is 1 point and a loss is 0. A win shared by k seats is 1/k for each, and a draw
// is a win shared by all seats. For every player, in total and by seat, a Report has the
// wins, draws and losses, the score (points per game) and the equal score, which is the
// score of equal players.
//
// For every pair of players it has the difference of their ratings. With two seats this
// is the Elo difference. With more seats it comes from the Plackett-Luce model of first
// places, in which the probability that a seat wins is proportional to 10^(rating/400).
// By Luce's axiom the odds between two players do not depend on the others. Since all
// games of a match have the same players, the maximum likelihood estimate needs no fit:
// it is the log-odds of the points of the two players. A player without points has no
// rating, only an upper bound.
//
// For every player it also has an Effort: the number of actions that the player chose,
// the number of simulations or positions searched and, if the match has a Clock, the
// time.
//
// With an SPRT, a match ends as soon as its games decide whether the first player is
// stronger than the second. A GameLog stores the games of matches as they end, so that a
// match can resume.
//
// All intervals have 95% confidence. They treat a group, not a game, as one observation,
// because the games of a group share their opening: see GroupScore. docs/RATINGS.md has
// the formulas.
//
// # Questions
//
// An EngineUnderTest answers questions about single positions, for exams (package
// study/exam) and analyses (package play). It searches many positions at a time, in shared
// batches.
package arena
