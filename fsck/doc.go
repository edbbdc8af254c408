// Package fsck verifies run folders and repairs them.
//
// Verify reads every file of a run. It compares checksums, checks that networks and optimizer
// states fit the game and the configuration, replays every game with the rules, and checks that
// checkpoints, games and metrics belong together. It writes nothing. The Report lists every file,
// the checkpoint from which the run would resume, and lost games.
//
// Repair also moves damaged files to the folder "damaged", so that train.Run can continue with
// the rest:
//
//	report, err := fsck.Repair(ctx, fsck.Options{Path: "runs/coerceo", Find: games.New})
//
// Unfinished files of an interrupted process are not damage: train.Run removes them, or keeps
// their intact part and recreates the rest.
package fsck
