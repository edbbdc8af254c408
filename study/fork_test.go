package study

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/fsck"
	"tiro/net"
	"tiro/net/nettest"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// trained returns a run of two generations.
func trained(t *testing.T) train.Options {
	a := tiny(t)
	a.Variants[0].Config.Learner.BatchSize = 8
	run := a.options(&a.Variants[0], 1)
	run.Dir, run.Generations, run.Config.Seed = filepath.Join(t.TempDir(), "run"), 2, 40
	require.NoError(t, train.Run(t.Context(), run))
	return run
}

// TestForkWithLargerNetwork: a fork with a larger network plays like the run, keeps what
// the optimizer knows about the old weights, and continues.
func TestForkWithLargerNetwork(t *testing.T) {
	run := trained(t)
	run.Generations = 4
	require.NoError(t, train.Run(t.Context(), run))
	origin, err := OpenOrigin(run.Dir, games.New)
	require.NoError(t, err)
	g := Fork{From: origin, Game: origin.Game, Config: origin.Config, Dir: filepath.Join(t.TempDir(), "grown")}
	g.Config.Net.Channels++
	g.Config.Net.Blocks++
	g.Config.Net.Ownership = true
	smaller := g
	smaller.Config.Net.Channels -= 2
	require.ErrorContains(t, MakeFork(t.Context(), smaller), "can only grow: net: channels is")
	below := g
	below.Dir = filepath.Join(run.Dir, rundir.ConfigFile, "grown")
	err = MakeFork(t.Context(), below)
	require.ErrorIs(t, err, syscall.ENOTDIR)
	require.NotContains(t, err.Error(), "there already")
	require.NoError(t, MakeFork(t.Context(), g))

	folder, of := rundir.At(disk.OS{}, g.Dir), rundir.At(disk.OS{}, run.Dir)
	was, err := of.Store(origin.Game.Spec()).Load(4)
	require.NoError(t, err)
	is, err := folder.Store(origin.Game.Spec()).Load(4)
	require.NoError(t, err)
	require.Equal(t, g.Config.Net.Inference(), is.Weights.Config)
	x := nettest.Fill(make([]float32, origin.Game.Spec().Inputs()), env.NewRand(1))
	policy, outcome := nettest.New(was.Weights).Run(x)
	grownPolicy, grownOutcome := nettest.New(is.Weights).Run(x)
	require.InDeltaSlice(t, policy, grownPolicy, 1e-6)
	require.InDeltaSlice(t, outcome, grownOutcome, 1e-6)
	tensor := func(all []net.Tensor, name string) []float32 {
		for _, t := range all {
			if t.Name == name {
				return t.Data
			}
		}
		return nil
	}
	mean := tensor(was.Optimizer, "mean/policy.bias")
	require.NotZero(t, slices.Max(mean))
	require.Equal(t, mean, tensor(is.Optimizer, "mean/policy.bias"))
	require.Equal(t, []float32{0, 0}, tensor(is.Optimizer, "steps"), "see graph.GrowOptimizerState")
	square := tensor(is.Optimizer, "square/block.1.conv1.bias")
	require.Len(t, square, g.Config.Net.Channels)
	require.Zero(t, slices.Max(square))
	before, err := of.Metrics()
	require.NoError(t, err)
	after, err := folder.Metrics()
	require.NoError(t, err)
	require.Equal(t, before, after, "growing costs nothing")

	longer := run
	longer.Dir, longer.Config, longer.Generations = g.Dir, g.Config, 5
	require.NoError(t, train.Run(t.Context(), longer))
	report, err := fsck.Verify(t.Context(), fsck.Options{Path: g.Dir, Find: games.New})
	require.NoError(t, err)
	require.True(t, report.OK(), "%+v", report.Parts)
}

// TestForkOfVariant: a fork plays the game with other options. Its checkpoints fit the new
// options, its window contains the parent's games, its cost includes the parent's cost, and it
// records its origins, even as the fork of a fork.
func TestForkOfVariant(t *testing.T) {
	run := trained(t)
	run.Generations = 3
	require.NoError(t, train.Run(t.Context(), run))
	fork := func(dir, game string, seed uint64) train.Options {
		origin, err := OpenOrigin(dir, games.New)
		require.NoError(t, err)
		f := Fork{From: origin, Config: origin.Config, Dir: filepath.Join(t.TempDir(), "fork")}
		f.Game, err = games.New(game)
		require.NoError(t, err)
		require.ErrorContains(t, f.Validate(), "game is")
		f.Config.Game, f.Config.Seed = f.Game.Spec().Name, seed
		require.NoError(t, MakeFork(t.Context(), f))
		o := run
		o.Game, o.Find, o.Dir, o.Config, o.Generations = f.Game, games.New, f.Dir, f.Config, origin.Generation+1
		require.NoError(t, train.Run(t.Context(), o))
		report, err := fsck.Verify(t.Context(), fsck.Options{Path: f.Dir, Find: games.New})
		require.NoError(t, err)
		require.True(t, report.OK(), "%+v", report.Parts)
		return o
	}
	game := run.Game.Spec().Name
	first := fork(run.Dir, game+":k=2", run.Config.Seed)
	folder := rundir.At(disk.OS{}, first.Dir)
	before, err := rundir.At(disk.OS{}, run.Dir).Metrics()
	require.NoError(t, err)
	after, err := folder.Metrics()
	require.NoError(t, err)
	require.Equal(t, before, after[:3])
	require.NotEqual(t, before[2].GamesSum, after[3].GamesSum)

	second := fork(first.Dir, game, 9)
	origins, err := recipe.Origins(rundir.At(disk.OS{}, second.Dir))
	require.NoError(t, err)
	require.Len(t, origins, 2)
	for i, want := range []train.Options{run, first} {
		c, err := recipe.OriginConfig(origins[i])
		require.NoError(t, err)
		require.Equal(t, want.Config, c)
		require.Equal(t, 3+i, origins[i].Generation)
	}

	other := Fork{Game: second.Game, Config: second.Config}
	other.From, err = OpenOrigin(second.Dir, games.New)
	require.NoError(t, err)
	other.Game, err = games.New("connect4")
	require.NoError(t, err)
	other.Config.Game = other.Game.Spec().Name
	require.ErrorContains(t, other.Validate(), "or a variant of it")
	other.Game, other.Config = run.Game, run.Config
	require.NoError(t, other.Validate())
	other.Config.Net.ClockHorizon = 5 // fixed after the fork, so no training could continue it
	require.ErrorContains(t, other.Validate(), "has no clocks")

	path := folder.Path(rundir.OriginFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range []string{"", "{}", string(text[:len(text)/2]), strings.Replace(string(text), "seed: ", "seed: 1", 1), strings.Replace(string(text), `"generation": 3`, `"generation": -3`, 1)} {
		require.NotEqual(t, string(text), damaged)
		require.NoError(t, os.WriteFile(path, []byte(damaged), 0o666))
		_, err := recipe.Origins(folder)
		require.ErrorContains(t, err, rundir.OriginFile)
		report, err := fsck.Verify(t.Context(), fsck.Options{Path: first.Dir, Find: games.New})
		require.NoError(t, err)
		require.False(t, report.OK())
	}
}
