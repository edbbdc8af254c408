// Package recipe describes how a run is trained and what it starts from.
//
// Config is the whole configuration of a run, in YAML. Read returns the one in a run
// folder, and Update replaces it, except for settings that a run cannot change.
//
// A run starts from random weights, or from a checkpoint of another run: a Fork takes
// over its network, optimizer, games and metrics, a WarmStart its network alone. Origins
// lists the checkpoints that a run goes back to.
package recipe
