// Package ladder rates players of a game against frozen reference players, on a
// scale that stays.
//
// A Ladder is a few reference players of one game, from weak to strong, and the
// results of their matches with each other. The ladders that come with the program
// are in the folder ladders, each with the small networks that it needs.
//
// # First use
//
//	l, err := ladder.Find(game)
//	…
//	report, err := ladder.Rate(ctx, ladder.Rating{
//		Ladder: l, Game: game, Candidates: candidates, Games: 200, Error: 40,
//		Seed: 1, Workers: 2, Backend: kernel.Best(), Dir: "runs/rate-coerceo", Tiro: version,
//	})
//	fmt.Print(report)
//
// # How a player is rated
//
// Candidates meet references and each other in rounds of batches, in each the pairs
// whose games are expected to lower the variances of the ratings most (Design of package
// arena/rating). After every round all ratings are fitted anew, and a candidate asks for
// no more games when its error is small. With more than two seats one player has one of
// them, each in turn, and the other one the others.
//
// Which pairs a round has depends on the ladder, the candidates and the rounds before it,
// never on the number of workers or on time. The report comes from one fit of all
// matches, those of the ladder and of all candidates in the log included, so that the
// covariance of any two players is known.
//
// A candidate that is a reference player itself, the same weights with the same
// search, plays no games: the ladder has its rating.
//
// # Errors
//
// The error of a candidate is that of its own games: half the 95% interval of its
// rating if those of the references were known exactly. The interval above the
// anchor holds the errors of the ladder too. Two candidates that met the same
// references share those, and Ratings.Difference leaves them out.
//
// # Interruptions
//
// Rate and Make keep every batch as soon as it is finished, so that a call that was
// ended in any way goes on with the batch that it was at, and comes to the same report.
//
// # What a ladder freezes
//
// Networks by their SHA-256, and all settings of their searches; the settings of
// other players are in their names. A change of the program that makes a player
// stronger makes its frozen results wrong; signatures (package study) tell of such a
// change, and then the ladder is to be made anew.
package ladder
