// Package selfplay lets a program play games against itself and records them.
//
// Play plays the games of one generation. Each of several workers runs on one
// goroutine with an evaluator of its own and plays many games in lockstep. In a
// round it gathers the positions that the searches of its games want evaluated, has
// them evaluated in one call, and hands the answers back. Batches are full without
// queues or waiting. Towards the end, when there are no new games to begin, a
// worker without games takes over half of another's, and the searches that
// remain hand out more positions at once.
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
// the generation, the number of the game and the purpose. Provided that the
// evaluator evaluates a position the same whatever else is in the batch, a game
// depends on nothing but these keys: not on the number of workers, not on how
// many games are in flight, not on which games an interrupted generation had
// finished before.
//
// # Resignation
//
// With Config.Resign a game whose winner seems clear is broken off: when its
// searches expect a payoff of Job.ResignThreshold for one seat. The caller
// calibrates the threshold by earlier games (Resign.Calibrate), some of which are
// always played to their end, so that few games are given to a wrong seat.
//
// # Episodes on disk
//
// An Episode is what is kept of a game: its actions, and for every move after
// the opening a Sample with the search's policy and value, rounded to four digits. The rounding is part of the Episode, so that a game learned
// from at once and one read from disk are the same. Write writes the games of
// a generation, one line a game, each a zstd frame of its own:
//
//	{"format":2,"what":"tiro episodes","game":"mnk","version":1,"seed":1,"generation":1,"net":"…"}
//	{"game":0,"opening":1,"plies":6,"result":[-1,1],"ending":"k-in-row","actions":["b2","a1",…],
//	 "samples":[{"ply":1,"policy":"a1:0.4107 c1:0.5893","value":[0.25,-0.25],"kl":0.0312},…]}
//
// A Reader trusts nothing: it replays each game through the rules and takes each
// number of a game once. Lines, lists, windows and what a file unpacks to are
// bounded, so that a small file takes little memory whatever it holds. A Tail reads
// the newest games of a file that is still being written, and not the others.
package selfplay
