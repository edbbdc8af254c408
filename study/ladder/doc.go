// Package ladder rates players of a game on a fixed Elo scale.
//
// A Ladder consists of a few reference players of one game and the frozen results of their
// matches. The folder ladders has the shipped ladders, each with the small networks that it
// needs.
//
//	l, err := ladder.Find(game)
//	…
//	report, err := ladder.Rate(ctx, ladder.Options{
//		Ladder: l, Game: game, Candidates: candidates, Games: 200, Error: 40,
//		Seed: 1, Workers: 2, Backend: kernel.Best(), Dir: "runs/rate-coerceo", Tiro: version,
//	})
//	fmt.Print(report)
//
// # How a player is rated
//
// Candidates play references and each other in rounds. The pairs of a round are the ones
// whose games are expected to reduce the variances of the ratings most (Design of package
// arena/rating). After every round all ratings are fitted again. A candidate stops playing
// when its error is small. With more than two seats, one player has one seat, each in turn,
// and the other player has the rest.
//
// All games are stored in a GameLog of package arena. The ratings come from one fit of the
// ladder and of all games in the log that the same program has played under the same
// conditions, in this call or an earlier one. A round depends only on the ladder, the
// candidates and the complete rounds before it. An interrupted call therefore continues to
// the same report.
//
// A candidate that equals a reference, with the same weights and the same search, plays no
// games, because the ladder has its rating. A game without a ladder has mcts:200 as its
// only reference.
//
// # Errors
//
// The error of a candidate is half the 95% interval of its rating, with the ratings of the
// references taken as exact. The interval above the anchor also includes the errors of the
// ladder.
//
// # Changes of the program
//
// A ladder identifies networks by their SHA-256, and stores all settings of their searches.
// Signatures (package study) reveal changes of the program that make a reference play
// differently. The ladder's results are then wrong, and it must be rebuilt
// (scripts/ladder).
package ladder
