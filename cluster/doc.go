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
// # Who plays what
//
// The games of a generation, or of matches, are messages of a work-queue stream (queue).
// The trainer pulls them and gives them to workers that ask (Trainer.answer), in proportion
// to the goroutines of those that it hears of (Trainer.part). A message is acknowledged when
// its game is in the trainer's files, kept in progress while a worker that has the game is
// heard of, and delivered again by JetStream otherwise. A worker that runs dry while it is
// behind plays late games of others, too (task.late). TestParts holds what comes of it.
//
// A worker asks every second, when a game has ended, and when the trainer publishes that
// there is news. The answer has the announcement: all that the games depend on. The worker
// fetches the networks from the trainer piece by piece, plays the games as selfplay.Play or
// arena.Play would, and sends each to the trainer.
//
// # The same games whoever plays them
//
// A game follows from the announcement and its number, so that it makes no difference
// who plays it, how often, and which copy comes first. That holds for workers on one
// backend; others differ in the last bits, and the trainer says so. The files of the run
// are all that counts: whatever the server, a worker or the trainer loses is played again.
//
// # Whom to believe
//
// The trainer replays each game by the rules and compares it with what the seed says of
// it (selfplay.Job.Check, arena.Match.Check). A share of the games is played by two
// workers; copies that differ end the task. Workers have no right to JetStream, which answers
// to any subject that a request names: they may publish requests to the trainer under their
// own name, and the trainer answers only to their own inbox.
package cluster
