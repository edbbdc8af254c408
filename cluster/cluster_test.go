package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/env/games"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

const version = "test"

// small is a run of tic-tac-toe with generations of about 50 ms.
func small() recipe.Config {
	c := recipe.Default("mnk")
	c.Seed = 5
	c.GamesPerGeneration = 30
	c.GenerationSchedule = []recipe.GenerationStep{{Generation: 2, Games: 40}}
	c.Net = net.Config{Channels: 8, Blocks: 1, Pool: true, OutcomeChannels: 2, Hidden: 8}
	c.Selfplay.ConcurrentGames = 4
	c.Selfplay.Search.Simulations = 12
	c.Selfplay.GameSchedule = []selfplay.GameStep{{Generation: 0, Options: "k=2"}, {Generation: 2}}
	c.Replay.Window = 330
	c.Replay.SampleReuse = 3
	c.Learner.BatchSize = 32
	c.Checkpoints = rundir.Retention{Last: 2, Every: 3}
	c.Duels = recipe.Duels{Share: 0.3, Every: 2, Anchor: "random"}
	return c
}

// training is a run of small in a folder.
func training(t testing.TB, dir string, generations int) train.Options {
	game, err := games.New("mnk")
	require.NoError(t, err)
	return train.Options{
		Dir: dir, Game: game, Find: games.New, Config: small(), Workers: 2, Backend: kernel.Best(), Generations: generations,
		Events: warnings(func(text string, attrs ...any) { t.Log("warn", text, attrs) }),
	}
}

// warnings returns events that call f with each warning.
func warnings(f func(text string, attrs ...any)) train.Events {
	return func(e train.Event) {
		if m, ok := e.(train.Message); ok && m.Level == slog.LevelWarn {
			f(m.Text, m.Attrs...)
		}
	}
}

// contents returns the files of a run that must be the same on any worker.
func contents(t testing.TB, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		text := string(data)
		if name == rundir.MetricsFile {
			var lines []string
			for line := range strings.Lines(text) {
				// A run that was killed just after a checkpoint has lost its times.
				head, _, _ := strings.Cut(strings.TrimSuffix(line, "}\n"), `,"machine":`)
				lines = append(lines, head)
			}
			text = strings.Join(lines, "\n")
		}
		files[name] = text
		return nil
	}))
	return files
}

// undisturbed returns the files of a run that one process has played.
func undisturbed(t testing.TB, generations int) map[string]string {
	return calm(t, training(t, t.TempDir(), generations))
}

// calm returns the files that a run leaves.
func calm(t testing.TB, o train.Options) map[string]string {
	require.NoError(t, train.Run(t.Context(), o))
	return contents(t, o.Dir)
}

// requireSame compares a run with an undisturbed one.
func requireSame(t testing.TB, want map[string]string, dir string) {
	got := contents(t, dir)
	require.Equal(t, want[rundir.MetricsFile], got[rundir.MetricsFile]) // shows the difference
	for name := range want {
		require.Contains(t, got, name)
		require.True(t, want[name] == got[name], "%s differs", name)
	}
	require.Len(t, got, len(want))
}

// notes are the messages of a program.
type notes struct {
	mu    sync.Mutex
	t     testing.TB
	who   string
	lines []string
}

func (n *notes) add(text string, attrs ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	line := text
	for i := 0; i+1 < len(attrs); i += 2 {
		line += fmt.Sprintf(" %v=%v", attrs[i], attrs[i+1])
	}
	n.lines = append(n.lines, line)
	n.t.Log(time.Now().Format("05.000"), n.who, line)
}

// Enabled is a method of a slog.Handler, as are the next three.
func (n *notes) Enabled(context.Context, slog.Level) bool { return true }

func (n *notes) Handle(_ context.Context, r slog.Record) error {
	var attrs []any
	r.Attrs(func(a slog.Attr) bool { attrs = append(attrs, a.Key, a.Value); return true })
	n.add(r.Message, attrs...)
	return nil
}

func (n *notes) WithAttrs([]slog.Attr) slog.Handler { return n }

func (n *notes) WithGroup(string) slog.Handler { return n }

func (n *notes) all() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}

func (n *notes) wait(t testing.TB, text string) {
	require.Eventually(t, func() bool { return strings.Contains(n.all(), text) }, 2*time.Minute, 10*time.Millisecond, "no message has %q", text)
}

// serving returns options of a trainer that serves on a free port.
func serving(n *notes) cluster.Options {
	return cluster.Options{
		Listen: "127.0.0.1:0", Lease: 2 * time.Second, Version: version, Find: games.New, Clock: time.Now, Log: slog.New(n),
	}
}

func newNotes(t testing.TB, who string) *notes { return &notes{t: t, who: who} }

// address waits until a trainer listens, and returns the URL.
func (n *notes) address(t testing.TB) string {
	n.wait(t, "waiting for workers")
	_, rest, _ := strings.Cut(n.all(), "waiting for workers at=")
	address, _, _ := strings.Cut(rest, " ")
	return "nats://" + address
}

// startWorker starts a worker and returns a function that stops it.
func startWorker(t testing.TB, url, name string, change func(*cluster.WorkerOptions)) (n *notes, stop func() error) {
	n = newNotes(t, name)
	o := cluster.WorkerOptions{
		URL: url, Name: name, Workers: 1, Memory: 1 << 30, Version: version, Find: games.New, Log: slog.New(n),
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- cluster.Work(ctx, o) }()
	return n, func() error {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}
}

// TestSameRun: a run has the same bytes if workers, this process or both play its games as
// without a cluster.
func TestSameRun(t *testing.T) {
	t.Parallel()
	const generations = 3
	for _, test := range []struct {
		name          string
		here, workers int
		asynchronous  bool
	}{
		{"workers only", 0, 2, false},
		{"this process only", 2, 0, false},
		{"both", 1, 1, false},
		{"while learning", 0, 2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			alone := training(t, t.TempDir(), generations)
			alone.Config.Selfplay.Asynchronous = test.asynchronous
			want := calm(t, alone)
			n, dir := newNotes(t, "trainer"), t.TempDir()
			o := serving(n)
			o.Workers, o.Twice = test.here, 0.3
			trainer, err := cluster.New(o)
			require.NoError(t, err)
			defer trainer.Close()
			run := training(t, dir, generations)
			run.Config.Selfplay.Asynchronous = test.asynchronous
			run.Selfplayer = trainer
			done := make(chan error, 1)
			go func() { done <- train.Run(t.Context(), run) }()
			for i := range test.workers {
				_, stop := startWorker(t, n.address(t), fmt.Sprint("worker-", i), nil)
				defer func() { require.NoError(t, stop()) }()
			}
			require.NoError(t, <-done)
			t.Log(time.Now().Format("05.000"), "done")
			trainer.Close()
			t.Log(time.Now().Format("05.000"), "closed")
			requireSame(t, want, dir)
		})
	}
}
