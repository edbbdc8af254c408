package train_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/env/envtest"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

func three() env.Game {
	return envtest.MustTree(3, "a(a(AB=) b([0.25,0.25,-0.5] c(C=a(AC))) c(c(AB)(=(BC))))")
}

// TestTornFiles: parts of files that a power cut may leave are not used.
func TestTornFiles(t *testing.T) {
	two, three := options(t.TempDir(), 2), options(t.TempDir(), 3)
	run(t, two)
	run(t, three)
	want := contents(t, three.Dir)
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	tests := []struct {
		name   string
		damage func(dir string)
	}{
		{"half a checkpoint", func(dir string) {
			write(filepath.Join(dir, "checkpoints", "000003.unfinished", "weights.safetensors"), "half")
		}},
		{"half an episode file", func(dir string) {
			write(filepath.Join(dir, "episodes", "000003.jsonl.zst"), "half")
		}},
		{"games of another run", func(dir string) {
			data, err := os.ReadFile(filepath.Join(dir, "episodes", "000002.jsonl.zst"))
			require.NoError(t, err)
			write(filepath.Join(dir, "episodes", "000003.part"), string(data))
		}},
		{"half a line of metrics", func(dir string) {
			path := filepath.Join(dir, "metrics.jsonl")
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			write(path, string(data)+`{"generation":3,"ga`)
		}},
		{"a line of metrics too many", func(dir string) {
			path := filepath.Join(dir, "metrics.jsonl")
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			write(path, string(data)+`{"generation":3}`+"\n")
		}},
		{"metrics lost", func(dir string) {
			path := filepath.Join(dir, "metrics.jsonl")
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(data), "\n")
			write(path, first+"\n")
		}},
		{"a damaged line among the metrics", func(dir string) {
			path := filepath.Join(dir, "metrics.jsonl")
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(data), "\n")
			write(path, first+"\n"+"{\"generation\":1\x00\x00}\n"+strings.TrimPrefix(string(data), first+"\n"))
		}},
		{"unfinished files", func(dir string) {
			for _, name := range []string{"config.yaml", "metrics.jsonl", "episodes/000002.jsonl.zst", "episodes/000003.part"} {
				write(filepath.Join(dir, name+".unfinished"), "half")
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := copyOf(t, two.Dir)
			test.damage(dir)
			run(t, options(dir, 3))
			requireSame(t, want, dir)
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, o *train.Options)
		want   string
	}{
		{"other game", func(t *testing.T, o *train.Options) { o.Game = newGame(t, "mnk:m=4") }, `game was mnk, is "mnk:m=4`},
		{"other network", func(t *testing.T, o *train.Options) { o.Config.Net.Channels = 9 }, "net.channels was 8, is 9"},
		{"other seed", func(t *testing.T, o *train.Options) { o.Config.Seed = 4 }, "seed was 3, is 4"},
		{"bad settings", func(t *testing.T, o *train.Options) { o.Config.Learner.BatchSize = 0; o.Workers = 0 }, "\nlearner.batch_size is 0"},
		{"no clock", func(t *testing.T, o *train.Options) { o.Time = time.Hour }, "time limit is 1h0m0s"},
		{"damaged checkpoint", func(t *testing.T, o *train.Options) {
			require.NoError(t, os.Truncate(filepath.Join(o.Dir, "checkpoints", "000001", "weights.safetensors"), 100))
		}, "weights.safetensors has 100 bytes"},
		{"damaged games", func(t *testing.T, o *train.Options) {
			require.NoError(t, os.Truncate(filepath.Join(o.Dir, "episodes", "000001.jsonl.zst"), 500))
		}, "episodes/000001.jsonl.zst"},
		{"damaged configuration", func(t *testing.T, o *train.Options) {
			require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "config.yaml"), []byte("format: 2\nwhat: tiro run\nnett: 3\n"), 0o666))
		}, "config.yaml:3:1: unknown key nett; did you mean net?"},
		{"newer configuration", func(t *testing.T, o *train.Options) {
			require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "config.yaml"), []byte("format: 3\nwhat: tiro run\nnett: 3\n"), 0o666))
		}, "config.yaml: written by a newer tiro: format 3, this one reads format 2"},
		{"foreign configuration", func(t *testing.T, o *train.Options) {
			require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "config.yaml"), []byte("colour: blue\n"), 0o666))
		}, `config.yaml: wrong kind of file: "what" is "", not "tiro run"; if you removed the lines "format: 2" and "what: tiro run", restore them`},
		{"not a run folder", func(t *testing.T, o *train.Options) {
			o.Dir = t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "letter.txt"), nil, 0o666))
		}, "not a run folder: it has letter.txt but no config.yaml"},
		{"a file", func(t *testing.T, o *train.Options) { o.Dir = filepath.Join(o.Dir, "config.yaml") }, "not a directory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := options(t.TempDir(), 1)
			run(t, o)
			o.Generations = 2
			test.change(t, &o)
			before := contents(t, o.Dir)
			err := train.Run(context.Background(), o)
			require.ErrorContains(t, err, test.want)
			requireSame(t, before, o.Dir)
		})
	}
}

// TestHarmlessChanges: settings that are not fixed may change, and the changes are saved.
func TestHarmlessChanges(t *testing.T) {
	o := options(t.TempDir(), 1)
	o.Note = "made by a test\nof two lines"
	run(t, o)
	o.Generations = 2
	require.NoError(t, configs.Set(&o.Config, "selfplay.simulation_schedule=[{generation: 2, simulations: 20}]"))
	require.NoError(t, configs.Set(&o.Config, "learner.learning_rate=0.002"))
	run(t, o)
	kept, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
	require.NoError(t, err)
	require.Equal(t, o.Config, kept)
	data, err := os.ReadFile(filepath.Join(o.Dir, "config.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(data), "# made by a test\n# of two lines\nformat: 2\nwhat: tiro run\ngame: mnk\n")
}

// TestLock: only one process trains in a folder.
func TestLock(t *testing.T) {
	o := options(t.TempDir(), 2)
	var inside error
	o.Events = afterEach(func() { inside = train.Run(context.Background(), options(o.Dir, 3)) })
	run(t, o)
	require.ErrorIs(t, inside, rundir.ErrInUse)
}

// TestGamesTakenAway: a run whose games are missing warns and learns without them.
func TestGamesTakenAway(t *testing.T) {
	o := options(t.TempDir(), 2)
	run(t, o)
	require.NoError(t, os.Remove(filepath.Join(o.Dir, "episodes", "000001.jsonl.zst")))
	o.Generations = 3
	var log bytes.Buffer
	o.Events = logTo(&log)
	run(t, o)
	require.Contains(t, log.String(), "the games of this and earlier generations are missing; training continues without them")
}

// TestMetricsCutOff: if metrics.jsonl was truncated, the newest line is restored, and the other
// lost lines are reported.
func TestMetricsCutOff(t *testing.T) {
	o := options(t.TempDir(), 4)
	run(t, o)
	path := filepath.Join(o.Dir, "metrics.jsonl")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	require.NoError(t, os.WriteFile(path, append(bytes.Clone(lines[0]), lines[1][:20]...), 0o600))
	var log bytes.Buffer
	o.Events = logTo(&log)
	run(t, o)
	require.Contains(t, log.String(), "metrics.jsonl has no lines for these generations")
	require.Contains(t, log.String(), "2-3")
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 2, bytes.Count(left, []byte("\n")))
	require.True(t, bytes.HasPrefix(left, lines[0]))
	require.Contains(t, string(left), `"generation":4,`)
}

// TestMoreGames: a run that was stopped while it learned, and then needs more games, keeps those
// that it has.
func TestMoreGames(t *testing.T) {
	o := options(t.TempDir(), 1)
	had := o.Config.GamesPerGeneration
	ctx, cancel := context.WithCancel(context.Background())
	o.Events = (&stopper{phase: train.PhaseLearn, generation: 1, step: 1, cancel: cancel}).events()
	require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
	o.Config.GamesPerGeneration += 3
	var earlier int
	o.Events = on(func(m train.Completed) { earlier = m.Machine.EarlierGames })
	run(t, o)
	require.Equal(t, had, earlier)
	straight := options(t.TempDir(), 1)
	straight.Config.GamesPerGeneration += 3
	run(t, straight)
	require.Equal(t, contents(t, straight.Dir)["checkpoints/000001/weights.safetensors"], contents(t, o.Dir)["checkpoints/000001/weights.safetensors"])
}

// TestFewerGames: a run that was stopped while it learned keeps as many games as
// games_per_generation demands when it is resumed.
func TestFewerGames(t *testing.T) {
	o := options(t.TempDir(), 2)
	ctx, cancel := context.WithCancel(context.Background())
	o.Events = (&stopper{phase: train.PhaseLearn, generation: 1, step: 1, cancel: cancel}).events()
	require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
	require.FileExists(t, filepath.Join(o.Dir, "episodes", "000001.jsonl.zst"))
	require.NoDirExists(t, filepath.Join(o.Dir, "checkpoints", "000001"))
	require.NoError(t, configs.Set(&o.Config, "games_per_generation=25"))
	ctx, cancel = context.WithCancel(context.Background())
	o.Events = (&stopper{phase: train.PhaseLearn, generation: 1, step: 1, cancel: cancel}).events()
	require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
	require.Empty(t, bad(verify(t, o.Dir)))
	o.Events = nil
	for o.Generations = 1; o.Generations < 4; o.Generations++ {
		run(t, o)
		require.Empty(t, bad(verify(t, o.Dir)))
	}
}
