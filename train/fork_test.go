package train_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/fsck"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// forked returns the options of a fork of a run at a generation.
func forked(t *testing.T, o train.Options, generation int, change func(c *recipe.Config)) train.Options {
	f := recipe.Fork{From: rundir.At(disk.OS{}, o.Dir), Generation: generation, Game: o.Game, Find: o.Find, Config: o.Config, Note: "a fork"}
	if change != nil {
		change(&f.Config)
	}
	o.Dir, o.Config = filepath.Join(t.TempDir(), "fork"), f.Config
	require.NoError(t, f.Write(t.Context(), disk.OS{}, o.Dir))
	return o
}

// TestForkGoesOnExactly: a fork without changes produces the same bytes as the run.
func TestForkGoesOnExactly(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		t.Run(fmt.Sprintf("asynchronous %v", asynchronous), func(t *testing.T) {
			o := options(filepath.Join(t.TempDir(), "run"), 8)
			o.Config.Learner.EMADecay = 0.9
			o.Config.Selfplay.Asynchronous = asynchronous
			o.Config.Checkpoints.Last = 5 // so that checkpoints 4 and 5 are kept
			run(t, o)
			for _, generation := range []int{5, 6} { // 6 is kept forever, 5 is not
				fork := forked(t, o, generation, nil)
				run(t, fork)
				want, got := contents(t, o.Dir), contents(t, fork.Dir)
				require.Equal(t, want["metrics.jsonl"], got["metrics.jsonl"])
				compared := 0
				for name := range want {
					for _, later := range []string{"000007", "000008"} {
						if strings.Contains(name, later) {
							require.Equal(t, want[name], got[name], name)
							compared++
						}
					}
				}
				require.Equal(t, 2*(4+1), compared, "two checkpoints of four files, and their games")
				metrics, err := rundir.At(disk.OS{}, fork.Dir).Metrics()
				require.NoError(t, err)
				require.NotNil(t, metrics[7].Machine)
			}
		})
	}
}

// TestForkWithChanges: a fork with another seed plays other games, and a fork with other settings
// of the learner learns differently from the same games. Both are ordinary runs.
func TestForkWithChanges(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "run"), 4)
	o.Config.Checkpoints.Last = 5
	run(t, o)
	want := contents(t, o.Dir)
	for name, test := range map[string]struct {
		change func(c *recipe.Config)
		games  bool // whether the games of the next generation are the same
	}{
		"seed": {func(c *recipe.Config) { c.Seed = 77 }, false},
		"rate": {func(c *recipe.Config) { c.Learner.LearningRate /= 2 }, true},
		"ema":  {func(c *recipe.Config) { c.Learner.EMADecay = 0.5 }, true},
	} {
		t.Run(name, func(t *testing.T) {
			fork := forked(t, o, 3, test.change)
			run(t, fork)
			got := contents(t, fork.Dir)
			require.Equal(t, test.games, want["episodes/000004.jsonl.zst"] == got["episodes/000004.jsonl.zst"])
			require.NotEqual(t, want["checkpoints/000004/weights.safetensors"], got["checkpoints/000004/weights.safetensors"])
			report, err := fsck.Verify(t.Context(), fsck.Options{Path: fork.Dir, Find: findGame})
			require.NoError(t, err)
			require.True(t, report.OK(), "%+v", report.Parts)
		})
	}
}

// TestForkOfAnotherGame: a fork that plays a variant can be trained, with networks that play while
// others learn, too. It begins with the games of the window.
func TestForkOfAnotherGame(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		o := options(filepath.Join(t.TempDir(), "run"), 2)
		run(t, o)
		variant, err := findGame("mnk:k=2")
		require.NoError(t, err)
		o.Game = variant
		fork := forked(t, o, 2, func(c *recipe.Config) {
			c.Game, c.Selfplay.Asynchronous = "mnk:k=2", asynchronous
		})
		fork.Generations = 4
		fork.Events = onWarning(func(text string, _ ...any) { require.NotContains(t, text, "missing") })
		run(t, fork)
		report, err := fsck.Verify(t.Context(), fsck.Options{Path: fork.Dir, Find: findGame})
		require.NoError(t, err)
		require.True(t, report.OK(), "%+v", report.Parts)
	}
}

// TestForkWithoutGames: of a checkpoint whose window is not kept, only the network can be forked.
func TestForkWithoutGames(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "run"), 3)
	run(t, o)
	folder := rundir.At(disk.OS{}, o.Dir)
	require.NoError(t, os.Remove(folder.Generation(2).Episodes()))
	f := recipe.Fork{From: folder, Generation: 3, Game: o.Game, Config: o.Config}
	err := f.Write(t.Context(), disk.OS{}, filepath.Join(t.TempDir(), "fork"))
	require.ErrorContains(t, err, "its replay window needs the games of generation 2, which are not kept: fork a newer checkpoint, or only the network")
}

// TestForkRefuses: a fork cannot change settings that a run cannot change, except for the seed.
func TestForkRefuses(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "run"), 2)
	o.Backend = kernel.Best()
	run(t, o)
	f := recipe.Fork{From: rundir.At(disk.OS{}, o.Dir), Generation: 2, Game: o.Game, Config: o.Config}
	f.Config.Net.Channels = 4
	dir := filepath.Join(t.TempDir(), "fork")
	err := f.Write(t.Context(), disk.OS{}, dir)
	require.ErrorContains(t, err, "the network of a fork can only grow: net: channels is 4 but must be 8 or more")
	require.NoDirExists(t, dir)
	f.Config, f.Generation = o.Config, 9
	require.ErrorContains(t, f.Write(t.Context(), disk.OS{}, dir), "load checkpoint 9")
	require.NoDirExists(t, dir)
	require.NoDirExists(t, dir+disk.Unfinished)
}

// TestForkOfWarmStart: a fork of a warm start plays the same duels as the run, also against
// generation 0.
func TestForkOfWarmStart(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "model"), 1)
	run(t, o)
	model := modelOf(t, o)
	o.Dir, o.Generations = filepath.Join(t.TempDir(), "warm"), 4
	o.Config.Checkpoints.Every = 2
	require.NoError(t, train.WarmStart(t.Context(), o, model))
	run(t, o)
	fork := forked(t, o, 3, nil)
	run(t, fork)
	require.Len(t, duelsOf(t, fork.Dir)[4], 3)
	require.Equal(t, contents(t, o.Dir)["metrics.jsonl"], contents(t, fork.Dir)["metrics.jsonl"])
}
