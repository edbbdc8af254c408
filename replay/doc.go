// Package replay holds the games that a run learns from, and turns them into
// training batches.
//
// A Buffer holds the newest games, as many as Config.Size asks for. A Sampler
// draws samples from it and fills the batch of a trainer:
//
//	buffer := replay.NewBuffer(game, replay.Keep{}, 0)
//	buffer.Add(episodes)
//	buffer.Trim(config.Size(buffer.Evicted()+buffer.Len()), memory)
//	sampler := replay.NewSampler(game, targets, trainer)
//	sampler.Fill(&buffer, 0, buffer.Len(), rng)
//
// A sample is a position of a game together with what the search found there
// and how the game ended. Games are kept as moves and sparse policies, with a
// position every few moves from which the one that was drawn is replayed: 50
// bytes a sample of Connect Four, about 250 of Coerceo. By BenchmarkFill, on one
// core, filling a row of a batch takes 0.6 microseconds for Connect Four, 3 for
// gomoku and 5 for random games of Coerceo of 600 plies, 3% of a training step.
// Keeping the observations would take a dozen times the memory or more.
package replay
