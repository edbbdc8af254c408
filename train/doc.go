// Package train is the loop: play against oneself, learn, save, again.
//
// Run opens a run folder, new or begun before, and goes on with it until a
// limit or a cancelled context ends it. A generation g is
//
//  1. self-play of so many games with the network of checkpoint g-1, recorded
//     in episodes/g.jsonl.zst,
//  2. learning from rows drawn from the replay Buffer,
//  3. checkpoint g, and a line in metrics.jsonl.
//
// Checkpoint 0 is a network of random weights. The weights of a checkpoint are
// those that play: the mean over the last steps, if Learner.Average asks for it,
// without the ownership head (net.Config.Ownership). The weights that are learned with
// lie, if they are others, beside the optimizer's state in optimizer.safetensors,
// as trained/NAME.
//
// # Stopped at any instant
//
// Only whole generations count. What a generation leaves behind appears under
// its name when it is complete, flushed to the disk, and games of an unfinished
// generation are kept as they end, so that a kill costs the games under way, or
// the learning begun. These games are not flushed one by one, which would wear a
// disk and stop the workers: a power cut costs also those of the last seconds,
// as many as the system keeps to itself. Every one has a checksum, and what
// follows the first that is torn is played again. All that a generation depends
// on is the configuration, the checkpoint before it and the episode files: every
// random draw is keyed by seed, generation and purpose. A run that was stopped
// and resumed is therefore equal to one that was not, byte by byte (metrics
// apart from what they say of the machine), for any number of workers, on
// machines that can run the same backend. Those of another backend differ in the
// last bits, and Run says so where a run goes on with another than before.
//
// # Faults
//
// A disk that is full, gone or broken ends Run with a Halt, which names the file
// and the checkpoint that is whole; that put right, the same call goes on to the
// same bytes. Nothing is tried twice: after a failed flush what can be read need
// not be on the disk, and the next Run writes it anew. Before anything is written
// or removed the lock is asked whether the folder is still the one that was
// locked, so that neither a folder that vanished is made again by half nor another
// in its place is touched.
//
// # Damage
//
// Whatever a run reads has a checksum, and tells to which run and generation it
// belongs; Run refuses what is not as it was written and names it. Verify looks at
// all of it, whether or not somebody trains there, and tells what can still be
// used: Outlook. Repair moves what is damaged aside, to the folder damaged, and
// the next Run goes on with the rest. That ends as if nothing had happened, byte
// by byte, where the newest checkpoint is lost, since the games of the windows of
// the last few stay, and where games are lost whose generation began with a
// checkpoint that is there: they are played again, and used if they are those
// that metrics.jsonl tells of. If they cannot be, the run learns without them and
// those before, and Outlook tells from which checkpoint it would be exact.
//
// # Memory
//
// What follows from the settings is added up before a run touches its folder:
// search trees, caches, evaluators, the learner, a checkpoint on its way, each
// at its largest. It must fit into five eighths of Config.Memory. A quarter is
// for games, those of the Buffer and those being played. If the window would
// take more, the oldest games are dropped, which Run says once. That goes by the
// lengths of games alone and never by what the machine reports, so that all
// machines drop the same; state.json tells how many rows are gone, and none
// comes back. The last eighth is room for the collector, which the program
// tells to keep within the whole (debug.SetMemoryLimit).
//
// The Buffer holds games as moves and sparse policies, and a position now and
// then from which a game is played again up to the one that was drawn: 50 bytes
// a position of Connect Four, about 250 of Coerceo, half of what the games take
// as they are played. By BenchmarkFill, on one core, that and the rest of a row
// take 0.6 microseconds for Connect Four, 3 for gomoku and 5 for random games of
// Coerceo of 600 plies, 3% of what a step takes. Keeping the observations would
// take a dozen times the memory or more.
//
// # Disk
//
// After each generation the newest checkpoints stay (Keep.Last) and the games of
// their windows, without which a run could not go on exactly. Of what
// Config.Checkpoints keeps for good, as much stays as Config.Disk has room for:
// first the games of old generations go, the oldest first; then checkpoints,
// every second of them before every second of those left, so that the others
// are spread evenly, and generation 0 last. It goes by generations and sizes
// alone. If what must stay is too much, the run ends, all of it saved. While a
// generation is written it comes on top.
package train
