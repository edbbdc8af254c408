// Package ladder rates players of a game on a scale of Elo that stays.
//
// A Ladder is a few reference players of one game and the frozen results of their
// matches. Those of the program are in the folder ladders, each with the small networks
// that it needs.
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
// Candidates meet references and each other in rounds. The pairs of a round are those
// whose games are expected to lower the variances of the ratings most (Design of package
// arena/rating). After every round all ratings are fitted again, and a candidate asks for
// no more games when its error is small. With more than two seats one player has one of
// them, each in turn, and the other player has the others.
//
// All games are kept in a GameLog of package arena, and the ratings come from one fit of
// the ladder and of all games in it that were played by the same program under the same
// conditions. Whoever played them, and for which call, does not matter. A round depends on
// the ladder, the candidates and the complete rounds before it alone, so that a call that
// was interrupted in any way continues to the same report.
//
// A candidate that is a reference itself, the same weights with the same search, plays no
// games: the ladder has its rating. A game without a ladder has mcts:200 as its only
// reference.
//
// # Errors
//
// The error of a candidate is half the 95% interval of its rating if those of the
// references were known exactly. The interval above the anchor has the errors of the
// ladder too.
//
// # What a ladder freezes
//
// Networks by their SHA-256, and all settings of their searches. A change of the program
// that makes a reference play differently, which signatures (package study) show, makes
// its results wrong, and then the ladder is to be made again (scripts/ladder).
package ladder
