// Package train is the trainer: a network plays against itself, learns from the games, and plays
// again.
//
// Run opens a new or existing run folder (package rundir) and continues the run until a limit is
// reached or its context is cancelled. Generation g consists of
//
//  1. self-play of a number of games with the inference weights of checkpoint g-1 (player.go),
//     which are added to the replay buffer (window.go). With asynchronous self-play, checkpoint
//     g-2 plays while the network learns from generation g-1 (ahead.go),
//  2. learning from samples of the buffer, with a moving average of the weights (learner.go),
//  3. every few generations, duels with earlier networks and a fixed player, which measure
//     progress (duels.go),
//  4. checkpoint g with the metrics of the generation (metrics.go), and warnings if something
//     looks wrong (diagnosis.go).
//
// Checkpoint 0 has random weights or, in a warm start, a model's. generation.go runs these parts
// in order, run.go contains the loop around them, and resume.go restores a run from its newest
// checkpoint. options.go has the options, events.go the events that a run reports, halt.go its
// errors, and memory.go the limits on its memory.
//
// # Exact resumption
//
// Only complete generations count. A generation depends on nothing but the configuration, the
// previous checkpoint and the games in the buffer, and each random draw is keyed with seed,
// generation and purpose. A run that was stopped and resumed therefore equals an uninterrupted
// one byte for byte, except for the machine's part of the metrics, with any number of workers, on
// machines with backends of the same kind (net.Backend.Bits). Other backends differ in the
// last bits; Run warns if the kind of a run's backend has changed.
//
// Games of an unfinished generation are saved as they end, so that a kill loses only the games in
// progress, or the learning in progress. The games are not flushed to the disk individually: a
// power cut also loses the games of the last seconds. Lost games are replayed with the same
// result.
//
// # Faults and damage
//
// If a disk is full, missing or broken, Run ends with a Halt, which names the file and the newest
// checkpoint, which is intact. When the fault is fixed, the same call continues with the same
// bytes. Nothing is retried. After a failed flush, data that can be read may still not be on the
// disk, so the next Run writes it again.
//
// Everything that a run reads has a checksum and names its run and generation. Run reports
// damaged files and refuses them; package fsck verifies and repairs. If games of the window are
// lost, the run learns without them and without earlier games.
//
// # Memory
//
// Before a run touches its folder, it adds up the memory that its settings require: search trees,
// caches, evaluators, the learner, duels and the window of games, each at its largest. The window
// may take a quarter of the memory left by the program's own part. Above that, the oldest games
// are evicted, which Run reports once. Eviction depends only on the lengths of games, not on the
// machine's memory use, so all machines evict the same games. The program derives the garbage
// collector's limit from Config.Memory (debug.SetMemoryLimit).
package train
