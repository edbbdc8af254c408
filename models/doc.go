// Package models keeps checkpoints on disk and opens them again.
//
// A Store is the checkpoints folder of a run:
//
//	checkpoints/000012/
//	  weights.safetensors    the network; any safetensors reader opens it
//	  optimizer.safetensors  what the optimizer remembers
//	  state.json             everything else that going on needs
//	  info.json              for people: game, network, figures; sizes and checksums of the others
//
// A checkpoint appears whole or not at all: it is written to a folder beside,
// flushed to the disk and renamed. Whatever happens to its files later is
// found by their checksums when they are loaded.
//
// # First use
//
//	store := models.NewStore(disk.OS{}, "runs/coerceo/checkpoints", game.Spec())
//	err := store.Save(models.Checkpoint{Generation: 12, Weights: weights, State: state})
//	…
//	weights, info, err := models.Open("runs/coerceo", games.New)
//
// Open takes whatever a person is likely to point at: a run folder (its newest
// checkpoint), one checkpoint, or a weights file alone.
//
// # Duties of the caller
//
// One process at a time writes to a Store (package train holds a lock); any
// number may read.
package models
