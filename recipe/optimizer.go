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

// trainedPrefix is the prefix of the trained weights' tensor names in
// optimizer.safetensors, which distinguishes them from the state of the optimizer.
const trainedPrefix = "trained/"

// storesTrained reports whether checkpoints contain the trained weights in addition to the
// weights that play. They differ if the latter are an average (learner.ema_decay) or lack
// the ownership head.
func (c *Config) storesTrained() bool {
	return c.Learner.EMADecay > 0 || c.Net != c.Net.Inference()
}

// OptimizerTensors returns the contents of optimizer.safetensors: the state of the
// optimizer and, if checkpoints store them, the trained weights.
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

// Restore splits the tensors of optimizer.safetensors into the trained weights and the
// state of the optimizer. playing are the weights that play.
func (c *Config) Restore(playing *net.Weights, tensors []net.Tensor) (trained *net.Weights, state []net.Tensor, err error) {
	if playing.Config != c.Net.Inference() {
		return nil, nil, fmt.Errorf("the network is %+v, but net in %s is %+v; restore it if you changed it, or use tiro fork", playing.Config, rundir.ConfigFile, c.Net.Inference())
	}
	learning, state := splitTensors(tensors)
	if len(learning) == 0 && c.Net == c.Net.Inference() {
		return playing, state, nil
	}
	trained, err = net.Assemble(playing.Spec, c.Net, learning)
	return trained, state, err
}

// splitTensors splits the tensors of optimizer.safetensors into the trained weights, if it
// contains any, and the state of the optimizer.
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

// CheckOptimizer returns an error unless a run with this configuration can continue from
// the weights that play and the tensors of optimizer.safetensors. A nil Config accepts any
// trained weights.
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

// CheckpointBytes returns the approximate size of a checkpoint in bytes.
func (c *Config) CheckpointBytes(spec env.Spec) configs.Bytes {
	copies := configs.Bytes(3) // the weights that play and both moments of the gradients
	if c.storesTrained() {
		copies++
	}
	const floatBytes = 4
	return copies * configs.Bytes(c.Net.Parameters(spec)) * floatBytes
}

// CheckDisk returns rundir.ErrDiskBudget if the newest checkpoints and the one being
// written would exceed the run's disk limit.
func (c *Config) CheckDisk(spec env.Spec) error {
	one := c.CheckpointBytes(spec)
	if c.Disk == 0 || int64(c.Checkpoints.Last) < int64(c.Disk/one) {
		return nil
	}
	return fmt.Errorf("%w: disk is %v, but the newest %d checkpoints and the one being written take %s each, in addition to the games; raise disk, or lower checkpoints.last or net",
		rundir.ErrDiskBudget, c.Disk, c.Checkpoints.Last, one.About())
}
