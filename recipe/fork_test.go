package recipe_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/env/games"
	"tiro/models"
	"tiro/net"
	"tiro/net/graph"
	"tiro/recipe"
	"tiro/rundir"
)

// small returns a run with checkpoint 0 on a file system.
func small(t *testing.T, fsys disk.FS) recipe.Fork {
	game, err := games.New("mnk")
	require.NoError(t, err)
	c := recipe.Default(game.Spec().Name)
	c.Net = net.Config{Channels: 4, OutcomeChannels: 1}
	folder, err := rundir.Open(fsys, "run")
	require.NoError(t, err)
	_, err = recipe.Update(folder, &c, "")
	require.NoError(t, err)
	w := net.NewWeights(game.Spec(), c.Net, env.NewRand(1))
	state := `{"generation":0,"samples":0,"evicted_samples":0,"steps":0,"pending_samples":0,"backend":"go"}`
	require.NoError(t, folder.Store(game.Spec()).Save(models.Checkpoint{Weights: w, State: []byte(state)}))
	require.NoError(t, folder.Close())
	return recipe.Fork{From: rundir.At(fsys, "run"), Game: game, Config: c, Note: "a fork"}
}

// TestForkFailsWhole: a fork is created completely or not at all.
func TestForkFailsWhole(t *testing.T) {
	requireWhole(t, func(memory disk.FS) (func(disk.FS, string) error, func(rundir.Folder)) {
		f := small(t, memory)
		write := func(fsys disk.FS, dir string) error { return f.Write(t.Context(), fsys, dir) }
		return write, func(folder rundir.Folder) {
			c, err := recipe.Read(folder)
			require.NoError(t, err)
			require.Equal(t, f.Config, c)
		}
	})
}

// requireWhole creates a new run repeatedly, failing another disk operation each time. The
// run must be absent, or complete if only flushing its folder failed, and the next attempt
// must succeed. begin prepares a file system; complete checks the result.
func requireWhole(t *testing.T, begin func(memory disk.FS) (write func(fsys disk.FS, dir string) error, complete func(rundir.Folder))) {
	broken := errors.New("broken")
	for n := 0; ; n++ {
		memory := disktest.New()
		write, complete := begin(memory)
		failed := false
		fsys := disktest.Over(memory, func(op disktest.Op) disktest.Verdict {
			if op.N == n {
				failed = true
				return disktest.Verdict{Do: disktest.None, Err: broken}
			}
			return disktest.Verdict{}
		})
		err := write(fsys, "new")
		if !failed {
			require.NoError(t, err)
			require.Greater(t, n, 20)
			return
		}
		_, missing := memory.Stat("new")
		if err == nil || missing == nil {
			folder := rundir.At(memory, "new")
			complete(folder)
			_, err = memory.Stat(folder.Path(rundir.LockFile))
			require.Error(t, err)
			continue
		}
		require.ErrorIs(t, err, broken)
		require.NoError(t, write(memory, "new"))
	}
}

// TestForkOfForgedOptimizer: a fork with a larger network does not trust the shapes of the
// optimizer's tensors, and refuses a state without some of them.
func TestForkOfForgedOptimizer(t *testing.T) {
	fork := func(forge func([]net.Tensor) []net.Tensor) error {
		fsys := disktest.New()
		f := small(t, fsys)
		store := f.From.Store(f.Game.Spec())
		c, err := store.Load(0)
		require.NoError(t, err)
		c.Optimizer = forge(graph.NewOptimizer(graph.Default(), c.Weights.Parameters()).State(c.Weights.Tensors()))
		require.NoError(t, store.Remove([]int{0}))
		require.NoError(t, store.Save(c))
		f.Config.Net.Channels++
		return f.Write(t.Context(), fsys, "new")
	}
	require.NoError(t, fork(func(state []net.Tensor) []net.Tensor {
		state[1].Shape = []int{len(state[1].Data)}
		return state
	}))
	require.ErrorContains(t, fork(func(state []net.Tensor) []net.Tensor { return state[:2] }), "is missing")
}
