package study

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/rundir"
	"tiro/rundir/fsck"
	"tiro/train"
)

// TestForkWithNetwork: a fork with another network has that, the costs of both, and goes on.
func TestForkWithNetwork(t *testing.T) {
	_, run := forks(t)
	run.Generations = 4
	require.NoError(t, train.Run(t.Context(), run))
	origin, err := OpenOrigin(run.Dir, games.New)
	require.NoError(t, err)
	g := Fork{From: origin, Game: origin.Game, Config: origin.Config, Dir: filepath.Join(t.TempDir(), "grown"), MaxSteps: 4000, Backend: run.Backend}
	require.False(t, g.NewNetwork())
	g.Config.Net.Channels *= 2
	g.Config.Learner.LearningRate = 0.01
	below := g
	below.Dir = filepath.Join(run.Dir, rundir.ConfigFile, "grown")
	_, err = MakeFork(t.Context(), below)
	require.ErrorIs(t, err, syscall.ENOTDIR)
	require.NotContains(t, err.Error(), "there already")
	var told Level
	g.Begin = func(l Level) { told = l }
	grown, err := MakeFork(t.Context(), g)
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
	grown, err = MakeFork(t.Context(), g)
	require.Equal(t, 4, grown.Old.Checkpoint)
	if err != nil {
		require.ErrorContains(t, err, "is not level")
	}
}

// TestForkOfVariant: a fork plays the game with other options. Its checkpoints are for
// them, its window holds the games of before, it costs what the run has cost, and it
// remembers where it comes from, also as the fork of a fork.
func TestForkOfVariant(t *testing.T) {
	_, run := forks(t)
	run.Generations = 3
	require.NoError(t, train.Run(t.Context(), run))
	fork := func(dir, game string, seed uint64) train.Options {
		origin, err := OpenOrigin(dir, games.New)
		require.NoError(t, err)
		f := Fork{From: origin, Config: origin.Config, Dir: filepath.Join(t.TempDir(), "fork"), MaxSteps: 1, Backend: run.Backend}
		f.Game, err = games.New(game)
		require.NoError(t, err)
		require.ErrorContains(t, f.Validate(), "game is")
		f.Config.Game, f.Config.Seed = f.Game.Spec().Name, seed
		_, err = MakeFork(t.Context(), f)
		require.NoError(t, err)
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
	origins, err := rundir.At(disk.OS{}, second.Dir).Origins()
	require.NoError(t, err)
	require.Len(t, origins, 2)
	for i, want := range []train.Options{run, first} {
		c, err := rundir.OriginConfig(origins[i])
		require.NoError(t, err)
		require.Equal(t, want.Config, c)
		require.Equal(t, 3+i, origins[i].Generation)
	}

	other := Fork{Game: second.Game, Config: second.Config, MaxSteps: 1}
	other.From, err = OpenOrigin(second.Dir, games.New)
	require.NoError(t, err)
	other.Game, err = games.New("connect4")
	require.NoError(t, err)
	other.Config.Game = other.Game.Spec().Name
	require.ErrorContains(t, other.Validate(), "or a variant of it")

	path := folder.Path(rundir.OriginFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range []string{"", "{}", string(text[:len(text)/2]), strings.Replace(string(text), "seed: ", "seed: 1", 1), strings.Replace(string(text), `"generation": 3`, `"generation": -3`, 1)} {
		require.NotEqual(t, string(text), damaged)
		require.NoError(t, os.WriteFile(path, []byte(damaged), 0o666))
		_, err := folder.Origins()
		require.ErrorContains(t, err, rundir.OriginFile)
		report, err := fsck.Verify(t.Context(), fsck.Options{Path: first.Dir, Find: games.New})
		require.NoError(t, err)
		require.False(t, report.OK())
	}
}
