// Package replay implements the replay buffer: it holds the games that a run learns from and
// turns them into training batches.
//
// A Buffer holds the newest games, as many as Config.Size requires. A Sampler draws samples
// from it and fills a trainer's batch:
//
//	buffer := replay.NewBuffer(game, replay.Keep{}, 0)
//	buffer.Add(episodes)
//	buffer.Trim(config.Size(buffer.Evicted()+buffer.Len()), memory)
//	sampler := replay.NewSampler(game, weights.Config, targets, trainer)
//	sampler.Fill(&buffer, 0, buffer.Len(), rng)
//
// A sample is a position of a game with the result of its search and of the game. Games are
// stored as actions and sparse policies, with a position every 32 actions from which the
// sample's position is replayed. A sample takes 50 bytes in Connect Four and about 250 in
// Coerceo; storing observations would take at least a dozen times as much. According to
// BenchmarkFill on one core, filling a row of a batch takes 0.6 microseconds for Connect
// Four, 3 for gomoku and 5 for random games of Coerceo of 600 plies, which is 3% of a
// training step.
package replay
