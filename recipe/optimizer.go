package recipe

import (
	"fmt"
	"strings"

	"tiro/configs"
	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/rundir"
)

// trainedPrefix begins the names of the tensors of the weights that learn, where
// optimizer.safetensors holds them besides the state of the optimizer.
const trainedPrefix = "trained/"

// storesTrained reports whether a checkpoint holds the weights that learn besides
// those that play: where these are an average (learner.ema_decay), or lack the
// head for ownership and score.
func (c *Config) storesTrained() bool {
	return c.Learner.EMADecay > 0 || c.Net != c.Net.Inference()
}

// OptimizerTensors returns the tensors of optimizer.safetensors: the state of the
// optimizer and, if a checkpoint stores them, the weights that learn.
func (c *Config) OptimizerTensors(state []net.Tensor, trained *net.Weights) []net.Tensor {
	if !c.storesTrained() {
		return state
	}
	for _, t := range trained.Clone().Tensors() {
		t.Name = trainedPrefix + t.Name
		state = append(state, t)
	}
	return state
}

// Restore takes the tensors of optimizer.safetensors apart, which a checkpoint
// holds besides the weights that play: it returns the weights that learn and the
// state of the optimizer.
func (c *Config) Restore(playing *net.Weights, tensors []net.Tensor) (trained *net.Weights, state []net.Tensor, err error) {
	if playing.Config != c.Net.Inference() {
		return nil, nil, fmt.Errorf("the network is %+v; want %+v", playing.Config, c.Net.Inference())
	}
	learning, state := splitTensors(tensors)
	if len(learning) == 0 && c.Net == c.Net.Inference() {
		return playing, state, nil
	}
	trained, err = net.Assemble(playing.Spec, c.Net, learning)
	return trained, state, err
}

// splitTensors takes the tensors of optimizer.safetensors apart: the weights that
// learn, none if they are those that play, and the state of the optimizer.
func splitTensors(tensors []net.Tensor) (trained, state []net.Tensor) {
	for _, t := range tensors {
		if name, ok := strings.CutPrefix(t.Name, trainedPrefix); ok {
			t.Name = name
			trained = append(trained, t)
		} else {
			state = append(state, t)
		}
	}
	return trained, state
}

// CheckOptimizer returns an error unless a run of this configuration can go on
// from the weights that play and the tensors of optimizer.safetensors. A nil
// Config is unknown: then any weights that learn will do.
func (c *Config) CheckOptimizer(playing *net.Weights, tensors []net.Tensor) error {
	if c != nil {
		trained, state, err := c.Restore(playing, tensors)
		if err != nil {
			return err
		}
		return graph.CheckOptimizerState(trained.Tensors(), state)
	}
	trained, state := splitTensors(tensors)
	if len(trained) == 0 {
		trained = playing.Tensors()
	}
	return graph.CheckOptimizerState(trained, state)
}

// CheckpointBytes returns about how many bytes a checkpoint takes.
func (c *Config) CheckpointBytes(spec env.Spec) configs.Bytes {
	copies := configs.Bytes(3) // the weights that play, the means of the gradients and of their squares
	if c.storesTrained() {
		copies++
	}
	const floatBytes = 4
	return copies * configs.Bytes(c.Net.Parameters(spec)) * floatBytes
}

// CheckDisk returns rundir.ErrDiskBudget if the newest checkpoints and the one being written
// will be more than the run may have on disk.
func (c *Config) CheckDisk(spec env.Spec) error {
	one := c.CheckpointBytes(spec)
	if c.Disk == 0 || int64(c.Checkpoints.Last) < int64(c.Disk/one) {
		return nil
	}
	return fmt.Errorf("%w: disk is %v, but the newest %d checkpoints and the one being written take %s each, and then come the games; raise disk, or lower checkpoints.last or net",
		rundir.ErrDiskBudget, c.Disk, c.Checkpoints.Last, one.About())
}
