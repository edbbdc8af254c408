// Package fsck checks run folders for damage and repairs them.
//
// Verify reads every file of a run: it compares checksums, checks that networks
// and optimizer states fit the game and the configuration, replays every game by
// the rules, and checks that checkpoints, games and metrics belong together. It
// writes nothing, and the run may be under way.
//
// A Report says of each file what it is, and in a Plan how the run would recover:
// from which checkpoint it would go on, which games it would play again, and which
// are lost.
//
// Repair does the same for a folder in which nobody trains, and moves what is
// damaged to the folder damaged, so that train.Run can go on with the rest:
//
//	report, err := fsck.Repair(ctx, fsck.Options{Path: "runs/coerceo", Find: games.New})
//
// What a stop leaves half written is not damage: the run itself removes it, or
// keeps what is intact of it and makes the rest again.
package fsck
