// Package selfplay lets a program play games against itself and records them.
//
// Play plays the games of one generation: several workers, each one goroutine
// with an evaluator of its own, and each worker many games in lockstep. A
// round of a worker gathers the positions that the searches of its games want
// judged, has them judged in one call, and hands the answers back. Batches are
// full without queues or waiting. Towards the end, when there are no new games
// to begin, a worker that has none left takes over half of another's, and the
// searches that remain hand out more positions at once.
//
//	episodes, stats, err := selfplay.Play(ctx, selfplay.Job{
//		Game:      game,
//		Config:    selfplay.Default(),
//		Seed:      1,
//		Games:     256,
//		Workers:   runtime.NumCPU(),
//		Evaluator: func() mcts.Evaluator { return mcts.Uniform{} },
//	})
//
// # The same games for any number of workers
//
// Every random draw of a game comes from generators keyed by the run's seed,
// the generation, the game's index and the purpose. Provided that the
// evaluator judges a position the same whatever else is in the batch, a game
// depends on nothing but these keys: not on the number of workers, not on how
// many games are under way, not on which games an interrupted generation had
// finished before.
//
// # Games that are decided
//
// With Config.Resign a game whose winner seems clear is broken off: when the
// payoff that its searches expect reaches Job.ResignThreshold. The caller measures that by
// the games before (Resign.Calibrate), of which a share is always played on, so that
// not too many games are given to a wrong seat.
//
// # Episodes on disk
//
// An Episode is what is left of a game: its actions, and for every move that
// was searched in full a Sample with the search's policy and value, rounded to
// four digits. The rounding is part of the Episode, so that a game learned
// from at once and one read from disk are the same. Write writes the games of
// a generation, compressed with zstd, one line a game:
//
//	{"format":2,"what":"tiro episodes","game":"mnk","version":1,"seed":1,"generation":1,"net":"…"}
//	{"game":0,"opening":1,"plies":6,"result":[-1,1],"ending":"k-in-row","actions":["b2","a1",…],
//	 "samples":[{"ply":1,"policy":"a1:0.4107 c1:0.5893","value":[0.25,-0.25],"kl":0.0312},…]}
//
// A Reader takes nothing on trust: it replays each game through the rules, and
// takes each game of a file once. Lines, lists, windows and what a file unpacks
// to are bounded, so that a small file takes little memory whatever it holds.
package selfplay
