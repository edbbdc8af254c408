// Package recipe describes how a run is trained and how it begins.
//
// Config is the complete configuration of a run, in YAML. Read returns the configuration in a
// run folder. Update replaces it, except for settings that are fixed for the run.
//
// A run begins with random weights or with a checkpoint of another run: a Fork copies its
// network, optimizer, games and metrics, and a WarmStart copies only its network. Origins
// lists the checkpoints of other runs from which a run descends.
package recipe
