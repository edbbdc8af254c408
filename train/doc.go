// Package train is the trainer: it lets a network play against itself, learn from
// the games, and play again.
//
// Run opens a run folder (package rundir), new or begun before, and goes on with
// it until a limit is reached or its context is cancelled. Generation g is
//
//  1. self-play of so many games with the inference weights of checkpoint g-1
//     (player.go), which enter the replay buffer (window.go); or of checkpoint g-2, which
//     can begin while the network learns from generation g-1 (ahead.go),
//  2. learning from samples of the buffer (learner.go), with an average over the
//     steps (ema.go),
//  3. every few generations, duels with earlier networks and a fixed player, which
//     show people whether it gets stronger (duels.go),
//  4. checkpoint g, with the metrics of the generation (metrics.go), and
//     warnings if something looks wrong (diagnosis.go).
//
// Checkpoint 0 holds random weights. generation.go has these parts in order,
// run.go the loop around them, and resume.go how a run comes back to its newest
// checkpoint. options.go says what can be asked for, events.go what a run reports,
// halt.go how it ends, and memory.go whether it will fit.
//
// # Exactly the same run
//
// Only complete generations count. All that a generation depends on is the
// configuration, the checkpoint before it and the games in the buffer, and every
// random draw is keyed by seed, generation and purpose. A run that was stopped and
// resumed therefore equals one that was not, byte by byte, but for what the
// metrics say of the machine, with any number of workers, on machines with the
// same backend. Those of another backend differ in the last bits, and Run says so
// when the backend of a run has changed.
//
// Games of an unfinished generation are kept as they end, so that a kill costs the
// games in flight, or the learning begun. They are not flushed to the disk one by
// one: a power cut also costs the games of the last seconds. They are played again
// and come out the same.
//
// # Faults and damage
//
// A disk that is full, gone or broken ends Run with a Halt, which names the file
// and the checkpoint that is intact. When the fault is put right, the same call
// goes on to the same bytes. Nothing is tried twice, because after a failed flush
// what can be read need not be on the disk; the next Run writes it anew.
//
// Whatever a run reads has a checksum, and says to which run and generation it
// belongs. Run refuses what is damaged and names it; package fsck verifies
// and repairs. Games of the window whose file is lost are played again if the
// checkpoint that played them is there, and used if metrics.jsonl confirms them.
// If they cannot be, the run learns without them and those before.
//
// # Memory
//
// Before a run touches its folder, the memory that follows from its settings is
// added up: search trees, caches, evaluators, the learner, duels and the window of games,
// each at its largest. The window may take a quarter of Config.Memory; if it would take
// more, the oldest games are evicted, which Run reports once. This follows from the lengths
// of games alone and never from what the machine reports, so that all machines evict the
// same games. The program tells the garbage collector to stay within the whole
// (debug.SetMemoryLimit).
package train
