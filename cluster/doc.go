// Package cluster has the games of trainings and of matches played by programs on many
// machines.
//
// A Trainer is the train.Selfplayer of a run, or the arena.Gameplayer of matches. It
// serves NATS JetStream itself or uses a server elsewhere, and workers, each a call of
// Work in another process, connect to that server:
//
//	trainer, err := cluster.New(cluster.Options{Listen: "127.0.0.1:4222", …})
//	err = train.Run(ctx, train.Options{Selfplayer: trainer, …})
//
//	err := cluster.Work(ctx, cluster.WorkerOptions{URL: "nats://127.0.0.1:4222", …})
//
// # What goes over the wire
//
// The trainer puts the network of a generation into an object store, and into a
// key-value bucket an announcement of all that its games depend on: game and rules,
// settings of self-play, seed, generation, threshold of resignation, network. A worker
// that has understood the announcement asks the trainer for games. It is given their
// numbers, which are leased to it for as long as it is heard of, and plays them as
// selfplay.Play would. It publishes each game as an episode file of one game, to a
// stream that keeps it until the trainer has taken it.
//
// Matches are announced in the same place: their players, by what makes them anywhere
// (player.Spec), seeds, openings and adjudication. Their games are numbered one
// match after the other, played as arena.Play would, and published as records.
//
// # The same games whoever plays them
//
// A game follows from the announcement and its number, so that it makes no difference
// who plays it, how often, and which copy comes first: a run has the same bytes as if
// it had been played by one process. That holds for workers on one backend; others
// differ in the last bits, and the trainer says so.
//
// # What may fail
//
// The files of the run are all that counts. A worker that dies, sleeps or is cut off
// loses its leases, and others play its games. They also play those of one that hangs and
// is still heard of, once no other game is left. A server may be away, or lose all it
// holds: the trainer puts everything there again, and games that were lost with it are
// played again. A trainer that is killed resumes from its files, while workers keep what
// they have.
//
// # Whom to believe
//
// The trainer replays each game by the rules and compares it with what the seed says of
// it (selfplay.Job.Check, arena.Match.Check). A share of the games is played by two
// workers. Where they disagree the trainer plays the game itself, drops who was wrong, and
// has all its games of the generation, or of the matches, played again, as far as they
// have arrived since the trainer's process began.
package cluster
