package train_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/disk"
	"tiro/fsck"
	"tiro/net"
	"tiro/rundir"
	"tiro/train"
)

// withOwnership returns the options of a run that learns ownership, with policy surprise
// weighting and EMA weights.
func withOwnership(dir string, generations int) train.Options {
	o := options(dir, generations)
	o.Config.Net.Ownership = true
	o.Config.Learner.PolicySurpriseWeight, o.Config.Learner.EMADecay = 0.5, 0.9
	return o
}

// TestRunsWithOwnershipGoOnExactly: runs with an ownership head, policy surprise weighting and
// EMA weights are resumed exactly.
func TestRunsWithOwnershipGoOnExactly(t *testing.T) {
	unbroken := t.TempDir()
	run(t, withOwnership(unbroken, 3))
	want := contents(t, unbroken)

	dir := t.TempDir()
	run(t, withOwnership(dir, 1))
	o := withOwnership(dir, 3)
	o.Workers = 2
	ctx, cancel := context.WithCancel(context.Background())
	o.Events = (&stopper{phase: train.PhaseLearn, generation: 2, step: 5, cancel: cancel}).events()
	require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
	o.Events = nil
	run(t, o)
	requireSame(t, want, dir)

	for _, name := range []string{`"ownership":`, `"score":`} {
		require.Equal(t, 6, strings.Count(want["metrics.jsonl"], name), name)
	}
}

// tensors returns the tensors of a checkpoint's file by name.
func tensors(t *testing.T, dir, checkpoint, file string) map[string][]float32 {
	data, err := os.ReadFile(filepath.Join(dir, "checkpoints", checkpoint, file))
	require.NoError(t, err)
	ts, _, err := net.ReadTensors(data)
	require.NoError(t, err)
	all := map[string][]float32{}
	for _, tensor := range ts {
		all[tensor.Name] = tensor.Data
	}
	return all
}

// TestCheckpointsPlay: a checkpoint has the inference weights. The raw weights are stored with
// the optimizer's state.
func TestCheckpointsPlay(t *testing.T) {
	dir := t.TempDir()
	run(t, withOwnership(dir, 1))
	weights, optimizer := tensors(t, dir, "000001", "weights.safetensors"), tensors(t, dir, "000001", "optimizer.safetensors")
	require.NotContains(t, weights, "ownership.weight")
	require.NotEqual(t, weights["stem.weight"], optimizer["trained/stem.weight"])
	require.Len(t, optimizer["trained/ownership.weight"], (3+2)*8) // three owner classes, two scores
	require.Contains(t, optimizer, "mean/ownership.weight")
	_, info, err := rundir.OpenNetwork(disk.OS{}, dir, findGame)
	require.NoError(t, err)
	require.False(t, info.Net.Ownership)
	parameters := 0
	for _, data := range weights {
		parameters += len(data)
	}
	require.Equal(t, parameters, info.Parameters)
}

// TestEMAMayChange: averaging may start and end between generations. The previous checkpoint
// plays the games of a generation in any case.
func TestEMAMayChange(t *testing.T) {
	o := options(t.TempDir(), 1)
	run(t, o)
	require.NotContains(t, tensors(t, o.Dir, "000001", "optimizer.safetensors"), "trained/stem.weight")
	o.Generations, o.Config.Learner.EMADecay = 2, 0.9
	run(t, o)
	weights, optimizer := tensors(t, o.Dir, "000002", "weights.safetensors"), tensors(t, o.Dir, "000002", "optimizer.safetensors")
	require.NotEqual(t, weights["stem.weight"], optimizer["trained/stem.weight"])

	// From then on, learning continues from the average, here without a step.
	o.Generations, o.Config.Learner.EMADecay = 3, 0
	require.NoError(t, configs.Set(&o.Config, "replay.sample_reuse=1e-9"))
	run(t, o)
	require.Equal(t, weights["stem.weight"], tensors(t, o.Dir, "000003", "weights.safetensors")["stem.weight"])
	require.NotContains(t, tensors(t, o.Dir, "000003", "optimizer.safetensors"), "trained/stem.weight")
	for file, status := range statuses(verify(t, o.Dir)) {
		require.Equal(t, fsck.OK, status, file)
	}
}

// TestRunsWithOwnershipAreVerified: Verify works with and without the run's configuration, and
// only a suitable configuration may replace a lost one.
func TestRunsWithOwnershipAreVerified(t *testing.T) {
	dir := t.TempDir()
	run(t, withOwnership(dir, 2))
	want := contents(t, dir)
	for file, status := range statuses(verify(t, dir)) {
		require.Equal(t, fsck.OK, status, file)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "config.yaml")))
	o := withOwnership(dir, 2)
	o.Config.Net.Ownership = false
	require.ErrorContains(t, train.Run(context.Background(), o), "the given configuration differs")
	run(t, withOwnership(dir, 2))
	requireSame(t, want, dir)
}
