// Package models reads and writes checkpoints and weights files.
//
// A Store is the folder of a run's checkpoints:
//
//	checkpoints/000012/
//	  weights.safetensors    the network; any safetensors reader opens it
//	  optimizer.safetensors  the state of the optimizer
//	  state.json             everything else that the run needs to resume
//	  info.json              game, network, metrics, and the lengths and checksums of the other files
//
// A checkpoint appears complete or not at all: it is written to a temporary folder, flushed to
// the disk and renamed. Later damage to its files is detected from their checksums when they are
// loaded.
//
// # First use
//
//	store := models.NewStore(disk.OS{}, "runs/coerceo/checkpoints", game.Spec())
//	err := store.Save(models.Checkpoint{Generation: 12, Weights: weights, State: state})
//	…
//	weights, info, err := models.Open(disk.OS{}, store.Dir(12), games.New)
//
// Open reads the network of a checkpoint or of a weights file. Package rundir chooses a
// checkpoint of a run.
//
// # Duties of the caller
//
// Only one process at a time may write to a Store, which the lock of the run folder ensures
// (package rundir). Any number of processes may read it.
package models
