// Package selfplay generates games of self-play and records them.
//
// Play plays the games of one generation. Each of several workers runs on one goroutine with
// its own evaluator and plays many games in lockstep. In each round it gathers the positions
// that its games' searches need evaluated, evaluates them in one call, and applies the
// results. Batches are full without queues or waiting. Near the end of a generation, a worker
// without games takes half of another worker's games, and the remaining searches contribute
// more positions to a batch.
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
// # Determinism
//
// Every random draw of a game comes from generators keyed by the run's seed, the generation,
// the number of the game and the purpose. If the evaluation of a position does not depend on
// the rest of the batch, a game depends only on these keys: not on the number of workers, the
// number of games in flight, or the games finished before an interruption.
//
// # Episode files
//
// An Episode is the record of a game: its actions, and for every move after the opening a
// Sample with the search's policy and value, rounded to four digits. The rounding is part of
// the Episode, so that learning from a game in memory and from a file gives the same results.
// Write writes the games of a generation, one game per line, each in its own zstd frame:
//
//	{"format":2,"what":"tiro episodes","game":"mnk","version":2,"seed":1,"generation":1,"net":"…"}
//	{"game":0,"opening":1,"plies":6,"result":[-1,1],"ending":"k-in-row","actions":["b2","a1",…],
//	 "samples":[{"ply":1,"policy":"a1:0.4107 c1:0.5893","value":[0.25,-0.25],"kl":0.0312},…]}
//
// Each does not trust the file: it replays each game by the rules and rejects duplicates.
// The sizes of lines, lists, windows and uncompressed data are limited, so that a small file
// cannot use much memory. A Tail reads only the newest games of a file that is still being
// written.
package selfplay
