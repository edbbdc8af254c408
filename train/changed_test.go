package train_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/fsck"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// TestLostBehindAChange: if a run has lost its checkpoints since a change of settings, it is not
// continued with other settings than the original ones. Verify and Run list the generations that
// would differ. Other generations are repeated with the same bytes.
func TestLostBehindAChange(t *testing.T) {
	lost := func(t *testing.T, dir string, generations ...string) {
		for _, g := range generations {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "checkpoints", g)))
		}
	}
	keeping := func(dir string, generations int) train.Options {
		o := options(dir, generations)
		o.Config.Checkpoints = rundir.Retention{Last: 9, Every: 1}
		return o
	}
	finish := func(t *testing.T, o train.Options, after, generations int) train.Options {
		o.Config.Learner.Cooldown = recipe.Cooldown{After: after, Generations: generations}
		o.Generations = after + generations
		run(t, o)
		return o
	}
	for _, test := range []struct {
		name    string
		make    func(t *testing.T, dir string) train.Options // the run, and the options to continue it
		changed []int                                        // generations that would differ; none: they are repeated
	}{
		{"a fork's first checkpoint", func(t *testing.T, dir string) train.Options {
			parent := options(filepath.Join(t.TempDir(), "parent"), 2)
			run(t, parent)
			o := forked(t, parent, 2, func(c *recipe.Config) { c.Seed = 11 })
			o.Generations = 4
			lost(t, o.Dir, "000002")
			return o
		}, []int{1, 2}},
		{"a fork's first checkpoint and its metrics", func(t *testing.T, dir string) train.Options {
			parent := options(filepath.Join(t.TempDir(), "parent"), 2)
			run(t, parent)
			o := forked(t, parent, 2, nil)
			lost(t, o.Dir, "000002")
			require.NoError(t, os.Remove(filepath.Join(o.Dir, "metrics.jsonl")))
			return o
		}, []int{1, 2}},
		{"a fork without changes", func(t *testing.T, dir string) train.Options {
			parent := options(filepath.Join(t.TempDir(), "parent"), 2)
			run(t, parent)
			o := forked(t, parent, 2, nil)
			lost(t, o.Dir, "000002")
			return o
		}, nil},
		{"two cool-downs", func(t *testing.T, dir string) train.Options {
			o := keeping(dir, 2)
			run(t, o)
			finish(t, o, 2, 1)
			o = finish(t, o, 3, 1)
			lost(t, dir, "000003", "000004")
			return o
		}, []int{3}},
		{"one cool-down", func(t *testing.T, dir string) train.Options {
			o := keeping(dir, 2)
			run(t, o)
			o = finish(t, o, 2, 1)
			lost(t, dir, "000002", "000003")
			return o
		}, nil},
		{"a learning rate", func(t *testing.T, dir string) train.Options {
			o := keeping(dir, 2)
			run(t, o)
			o.Config.Learner.LearningRate /= 2
			o.Generations = 4
			run(t, o)
			lost(t, dir, "000002", "000003", "000004")
			return o
		}, []int{2}},
		{"a schedule's later step, retention and duels", func(t *testing.T, dir string) train.Options {
			o := keeping(dir, 2)
			run(t, o)
			o.Config.GenerationSchedule = []recipe.GenerationStep{{Generation: 3, Games: 24}}
			o.Config.Learner.LearningRateDrops = []recipe.Drop{{Step: 1 << 20, Factor: 0.5}}
			o.Config.Duels.Share, o.Config.Checkpoints.Last, o.Config.Selfplay.ConcurrentGames = 0, 8, 5
			o.Generations = 3
			run(t, o)
			lost(t, dir, "000001", "000002", "000003")
			return o
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := test.make(t, filepath.Join(t.TempDir(), "run"))
			before := tree(t, o.Dir)
			report := verify(t, o.Dir)
			require.Equal(t, test.changed, report.Changed)
			err := train.Run(t.Context(), o)
			if test.changed == nil {
				require.NoError(t, err)
				report = verify(t, o.Dir)
				require.True(t, report.OK(), "%v", bad(report))
				after := contents(t, o.Dir)
				for name, text := range before {
					if filepath.Ext(name) == ".zst" {
						require.True(t, after[name] == text, "%s differs", name)
					}
				}
				return
			}
			require.ErrorIs(t, err, recipe.ErrChanged)
			require.ErrorContains(t, err, rundir.Ranges(test.changed))
			require.Equal(t, contents(t, o.Dir)["config.yaml"], before["config.yaml"])
			_, err = fsck.Repair(t.Context(), fsck.Options{Path: o.Dir, Find: findGame})
			require.NoError(t, err)
			require.ErrorIs(t, train.Run(t.Context(), o), recipe.ErrChanged)
		})
	}
}

// TestForkWithoutCheckpoints: a fork never begins with random weights, whatever it has lost, and
// cannot be forked at a generation before its own beginning.
func TestForkWithoutCheckpoints(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "run"), 2)
	run(t, o)
	fork := forked(t, o, 2, nil)
	c, err := rundir.At(disk.OS{}, o.Dir).Store(o.Game.Spec()).Load(2)
	require.NoError(t, err)
	config, err := os.ReadFile(filepath.Join(o.Dir, "config.yaml"))
	require.NoError(t, err)
	warm := o
	warm.Dir = filepath.Join(t.TempDir(), "warm")
	cost := card.Cost{Effort: card.Effort{Generation: 2, Games: 80, Samples: 500}, Trained: card.Builder{Tiro: "test", Backend: "go"}}
	require.NoError(t, train.WarmStart(t.Context(), warm, train.Beginning{Weights: c.Weights, Origins: []card.Origin{{Game: "mnk", Generation: 2, Config: string(config), Network: &cost}}}))

	again := recipe.Fork{From: rundir.At(disk.OS{}, fork.Dir), Generation: 0, Game: o.Game, Config: o.Config}
	require.ErrorContains(t, again.Write(t.Context(), disk.OS{}, filepath.Join(t.TempDir(), "fork")), "from generation 2")

	for name, o := range map[string]train.Options{"fork": fork, "warm start": warm} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.RemoveAll(filepath.Join(o.Dir, "checkpoints")))
			require.NoError(t, os.RemoveAll(filepath.Join(o.Dir, "metrics.jsonl")))
			report := verify(t, o.Dir)
			require.False(t, report.OK())
			require.Equal(t, -1, report.Checkpoint)
			require.GreaterOrEqual(t, report.Newest, 0)
			require.ErrorContains(t, train.Run(t.Context(), o), "origin.json")
		})
	}
}

// TestChangeWithinAGeneration: games of an unfinished generation are kept if the learner's
// settings change, and replayed if self-play's settings change, so that a generation has one set
// of settings. After a change by hand, the former settings are unknown.
func TestChangeWithinAGeneration(t *testing.T) {
	for name, test := range map[string]struct {
		change       func(c *recipe.Config)
		byHand, kept bool
	}{
		"learning rate":       {func(c *recipe.Config) { c.Learner.LearningRate /= 2 }, false, true},
		"games in flight":     {func(c *recipe.Config) { c.Selfplay.ConcurrentGames = 3 }, false, true},
		"simulations":         {func(c *recipe.Config) { c.Selfplay.Search.Simulations = 9 }, false, false},
		"simulations by hand": {func(c *recipe.Config) { c.Selfplay.Search.Simulations = 9 }, true, false},
		"temperature":         {func(c *recipe.Config) { c.Selfplay.Temperature = 0.5 }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(filepath.Join(t.TempDir(), "run"), 1)
			run(t, o)
			ctx, cancel := context.WithCancel(t.Context())
			o.Generations = 2
			stopped := o
			stopped.Events = (&stopper{phase: train.PhaseSelfplay, generation: 1, step: 17, cancel: cancel}).events()
			require.ErrorIs(t, train.Run(ctx, stopped), train.ErrInterrupted)
			end := copyOf(t, o.Dir)
			require.NoError(t, os.Remove(filepath.Join(end, "episodes", "000002.part")))
			if test.change(&o.Config); test.byHand {
				edit(t, o)
			}
			run(t, o)
			sealed, err := os.ReadFile(filepath.Join(o.Dir, rundir.ConfigFile))
			require.NoError(t, err)
			require.Contains(t, string(sealed), "# checksum ")
			undisturbed := o
			undisturbed.Dir = end
			run(t, undisturbed)
			want, got := contents(t, end), contents(t, o.Dir)
			require.True(t, want["checkpoints/000002/weights.safetensors"] == got["checkpoints/000002/weights.safetensors"])
			metrics, err := rundir.At(disk.OS{}, o.Dir).Metrics()
			require.NoError(t, err)
			require.Equal(t, test.kept, metrics[1].Machine.EarlierGames > 0)
		})
	}
}

// edit writes the configuration in the run folder by hand.
func edit(t *testing.T, o train.Options) {
	text, err := yaml.Marshal(o.Config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(o.Dir, rundir.ConfigFile), append([]byte("format: 2\nwhat: tiro run\n"), text...), 0o666))
}

// TestEditedByHand: an error about a setting that cannot change, but was edited in config.yaml,
// names the setting and the remedies.
func TestEditedByHand(t *testing.T) {
	original := options(filepath.Join(t.TempDir(), "run"), 2)
	run(t, original)
	edited := func(change func(c *recipe.Config)) train.Options {
		o := original
		o.Dir, o.Generations = copyOf(t, original.Dir), 3
		change(&o.Config)
		edit(t, o)
		return o
	}
	seed := edited(func(c *recipe.Config) { c.Seed = 11 })
	require.ErrorContains(t, train.Run(t.Context(), seed), "seed 3, but config.yaml has 11; restore it if you changed it, or use tiro fork")
	wider := edited(func(c *recipe.Config) { c.Net.Channels = 9 })
	const remedy = "but net in config.yaml is {Channels:9"
	require.ErrorContains(t, train.Run(t.Context(), wider), remedy)
	fork := recipe.Fork{From: rundir.At(disk.OS{}, wider.Dir), Generation: 2, Game: wider.Game, Find: findGame, Config: wider.Config}
	require.ErrorContains(t, fork.Write(t.Context(), disk.OS{}, filepath.Join(t.TempDir(), "fork")), remedy)
}
