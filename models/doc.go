// Package models reads and writes checkpoints and weights files.
//
// A Store is the checkpoints folder of a run:
//
//	checkpoints/000012/
//	  weights.safetensors    the network; any safetensors reader opens it
//	  optimizer.safetensors  the state of the optimizer
//	  state.json             everything else that the run needs to go on
//	  info.json              for people: game, network, metrics; lengths and checksums of the other files
//
// A checkpoint appears complete or not at all: it is written to a temporary
// folder, flushed to the disk and renamed. What happens to its files later is
// found by their checksums when they are loaded.
//
// # First use
//
//	store := models.NewStore(disk.OS{}, "runs/coerceo/checkpoints", game.Spec())
//	err := store.Save(models.Checkpoint{Generation: 12, Weights: weights, State: state})
//	…
//	weights, info, err := models.Open(disk.OS{}, store.Dir(12), games.New)
//
// Open reads the network of a checkpoint, or a weights file alone. Which
// checkpoint of a run a path leads to is for package rundir to say.
//
// # Duties of the caller
//
// One process at a time writes to a Store, which the lock of a run folder
// ensures (package rundir); any number may read.
package models
