package study

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/rundir"
	"tiro/train"
)

// TestGrow: a run that has grown has its new network, the costs of both, and goes on.
func TestGrow(t *testing.T) {
	_, run := forks(t)
	run.Generations = 4
	require.NoError(t, train.Run(t.Context(), run))
	window, err := OpenWindow(run.Dir, games.New)
	require.NoError(t, err)
	g := Growth{From: window, Config: window.Config, Dir: filepath.Join(t.TempDir(), "grown"), MaxSteps: 4000, Backend: run.Backend}
	require.ErrorContains(t, g.Validate(), "the network is the same")
	g.Config.Net.Channels *= 2
	g.Config.Learner.LearningRate = 0.01
	below := g
	below.Dir = filepath.Join(run.Dir, rundir.ConfigFile, "grown")
	_, err = Grow(t.Context(), below)
	require.ErrorIs(t, err, syscall.ENOTDIR)
	require.NotContains(t, err.Error(), "there already")
	var told Level
	g.Begin = func(l Level) { told = l }
	grown, err := Grow(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, told, grown.Old)
	require.Equal(t, 3, told.Checkpoint, "which has not learned from the newest games")
	require.LessOrEqual(t, grown.New.PolicyKL+grown.New.Outcome, told.PolicyKL+told.Outcome)
	require.Equal(t, told.Samples, grown.New.Samples)

	folder := rundir.At(disk.OS{}, g.Dir)
	c, err := folder.Store(g.From.Game.Spec()).Load(4)
	require.NoError(t, err)
	require.Equal(t, g.Config.Net.Inference(), c.Weights.Config)
	before, err := rundir.At(disk.OS{}, run.Dir).Metrics()
	require.NoError(t, err)
	after, err := folder.Metrics()
	require.NoError(t, err)
	require.Equal(t, before, after, "without a count of CPU time growing has cost nothing")

	longer := run
	longer.Dir, longer.Config, longer.Generations = g.Dir, g.Config, 5
	require.NoError(t, train.Run(t.Context(), longer))

	// Where the checkpoint before is gone, the newest one is what is to be reached.
	store := rundir.At(disk.OS{}, run.Dir).Store(g.From.Game.Spec())
	require.NoError(t, os.RemoveAll(store.Dir(3)))
	g.Dir += "-again"
	grown, err = Grow(t.Context(), g)
	require.Equal(t, 4, grown.Old.Checkpoint)
	if err != nil {
		require.ErrorContains(t, err, "is not level")
	}
}
