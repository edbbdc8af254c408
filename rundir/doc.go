// Package rundir defines the layout of a run folder. It writes the files so that a crash loses
// nothing, and removes files that are no longer needed.
//
//	runs/coerceo/
//	  config.yaml                  the configuration (package recipe), with a header and a checksum
//	  checkpoints/000012/          a checkpoint (package models), with the State of the run
//	  episodes/000012.jsonl.zst    all games of a generation (package selfplay)
//	  episodes/000013.part         the games so far of the current generation
//	  origin.json                  checkpoints of other runs that a fork or warm start continues
//	  metrics.jsonl                Metrics, one line a generation
//	  log.jsonl, log.old.jsonl     messages for the user
//	  lock                         locked by the process that trains
//	  damaged/                     damaged files that package fsck has moved
//
// docs/FORMATS.md describes every file.
//
// # Reading
//
// A Folder returns the paths of its files and reads them. Any process may use one at any time:
//
//	folder := rundir.At(disk.OS{}, "runs/coerceo")
//	metrics, err := folder.Metrics()
//	path := folder.Generation(12).Episodes()
//
// Resolve finds the run, checkpoint or file that a path from the user leads to.
//
// # Writing
//
// Open locks a folder for the one process that trains in it. The lock ends with the process. A
// Locked folder checks before each write that it is still the folder that was locked, and writes
// files so that they appear complete or not at all. Recover and RecoverMetrics repair a folder
// after a process was stopped at any moment. Tidy removes files that are no longer needed after
// each generation.
package rundir
