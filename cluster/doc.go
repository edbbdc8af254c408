// Package cluster plays the games of training runs and of matches on many machines.
//
// A Trainer is the train.Selfplayer of a run, or the arena.Gameplayer of matches. It runs a
// NATS server with JetStream, or uses an external one. Workers, which are calls of Work in
// other processes, connect to that server:
//
//	trainer, err := cluster.New(cluster.Options{Listen: "127.0.0.1:4222", …})
//	err = train.Run(ctx, train.Options{Selfplayer: trainer, …})
//
//	err := cluster.Work(ctx, cluster.WorkerOptions{URL: "nats://127.0.0.1:4222", …})
//
// # Distribution
//
// The games of a generation, or of matches, are messages of a work-queue stream (queue). The
// trainer pulls them when a worker asks for games (Trainer.answer), at most a part that is
// proportional to the worker's goroutines (Trainer.part). It acknowledges a message once the
// game is in its files, and keeps it in progress while a worker with the game reports;
// otherwise JetStream delivers it again. An idle worker that has done less than its part
// also plays late games of others (Trainer.late). TestParts measures the result.
//
// A worker has one kind of request: it reports its state, sends finished games, and asks for
// more, or for a piece of a network. It gets the announcement, which describes everything
// that the games depend on.
//
// # The same games on any worker
//
// A game follows from the announcement and its number, so it makes no difference which
// worker plays it, how often, and which copy arrives first. That holds for workers with the
// same backend; others differ in the last bits, and the trainer warns about them. Only the
// files of the run count: games that a server, worker or trainer loses are played again.
//
// # Trust
//
// The trainer replays each game by the rules and compares it with its seed (selfplay.Job.Check,
// arena.Match.Check). Two workers play a fraction of the games; if their copies differ, the
// task ends. Workers have no access to JetStream, which sends its answers to any subject
// that a request names: a worker can only send requests to the trainer under its own name,
// and the trainer answers only to that worker's inbox.
package cluster
