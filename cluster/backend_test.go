package cluster_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/opencl/cl"
	"tiro/train"
)

// TestBackends: workers with other backends are used, and reported once each.
func TestBackends(t *testing.T) {
	if kernel.Best().Name() == "go" {
		t.Skip("NOT TESTED: this machine has one backend")
	}
	f := startTraining(t, 2, func(o *cluster.Options) { o.Twice = 1 })
	f.worker("slow", func(o *cluster.WorkerOptions) { o.Backend = kernel.Backend{} })
	f.worker("fast", nil)
	require.NoError(t, <-f.done)
	require.LessOrEqual(t, strings.Count(f.notes.all(), "differ in the last bits"), 1)
}

// failing is a device that has failed.
type failing struct{ kernel.Backend }

func (failing) Batch() int                           { return 8 }
func (b failing) Compile(w *net.Weights) net.Network { return failed{net.Compile(b.Backend, w)} }

type failed struct{ net.Network }

func (failed) NewEvaluator(env.Game, int, int) mcts.Evaluator { return failed{} }

func (failed) Evaluate(context.Context, []*mcts.Leaf) error { return cl.ErrLost }

// TestDeviceOfTrainerFails: a run ends with the error of its own worker, as without workers elsewhere.
func TestDeviceOfTrainerFails(t *testing.T) {
	t.Parallel()
	o := serving(newNotes(t, "trainer"))
	o.Workers, o.Backend = 1, failing{kernel.Best()}
	trainer, err := cluster.New(o)
	require.NoError(t, err)
	defer trainer.Close()
	run := training(t, filepath.Join(t.TempDir(), "run"), 1)
	run.Selfplayer = trainer
	require.ErrorIs(t, train.Run(t.Context(), run), cl.ErrLost)
}
