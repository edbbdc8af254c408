// Package rundir owns the folder of a run: what its files are called, how they are
// written so that a crash loses nothing, and which of them stay.
//
//	runs/coerceo/
//	  config.yaml                  the configuration (package recipe), with a header and a checksum
//	  checkpoints/000012/          a checkpoint (package models), with the State of the run
//	  episodes/000012.jsonl.zst    all games of a generation (package selfplay)
//	  episodes/000013.part         the games so far of the generation that is played
//	  origin.json                  of a fork or a warm start, what it goes on from
//	  metrics.jsonl                Metrics, one line a generation
//	  log.jsonl, log.old.jsonl     for people
//	  cluster/                     what the server of a training on several machines keeps
//	  lock                         held by the process that trains
//	  damaged/                     what package fsck has moved away
//
// docs/FORMATS.md describes every file.
//
// # Reading
//
// A Folder reads, and tells the paths of its parts; anybody may use one at any
// time:
//
//	folder := rundir.At(disk.OS{}, "runs/coerceo")
//	metrics, err := folder.Metrics()
//	path := folder.Generation(12).Episodes()
//
// Resolve finds out what a path leads to that a person named.
//
// # Writing
//
// Open locks a folder for the one process that trains in it. The lock ends with
// the process. A Locked folder asks before each write whether it is still the one
// that was locked, and writes files so that they appear complete or not at all.
// Recover and RecoverMetrics bring a folder in order in which an
// earlier process was stopped at any instant; Tidy removes after each generation
// what need not stay.
package rundir
