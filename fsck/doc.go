// Package fsck verifies run folders and repairs them.
//
// Verify reads every file of a run: it compares checksums, checks that networks
// and optimizer states fit the game and the configuration, replays every game by
// the rules, and checks that checkpoints, games and metrics belong together. It
// writes nothing. The Report lists every file, the checkpoint that the run would resume
// from, and the games that it has lost.
//
// Repair does the same and moves what is damaged to the folder damaged, so that train.Run
// can continue with the rest:
//
//	report, err := fsck.Repair(ctx, fsck.Options{Path: "runs/coerceo", Find: games.New})
//
// What an interruption leaves half written is not damage: train.Run removes it, or keeps
// what is intact of it and makes the rest again.
package fsck
