package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/mnk"
	"tiro/internal/leaks"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// newGame returns a game of the m,n,k family.
func newGame(t testing.TB, name string) env.Game {
	game, err := findGame(name)
	require.NoError(t, err)
	return game
}

func findGame(name string) (env.Game, error) {
	name, options, err := env.ParseName(name)
	if err != nil {
		return nil, err
	}
	if name != "mnk" {
		return nil, errors.New("not a game of these tests")
	}
	return mnk.New(options)
}

// small returns a run of tic-tac-toe with generations of about 50 ms.
func small() recipe.Config {
	c := recipe.Default("mnk")
	c.Seed = 3
	c.GamesPerGeneration = 40
	c.Net = net.Config{Channels: 8, Blocks: 1, Pool: true, OutcomeChannels: 2, Hidden: 8}
	c.Selfplay.ConcurrentGames = 8
	c.Selfplay.Search.Simulations = 12
	c.Replay.Window = 620
	c.Replay.SampleReuse = 3
	c.Learner.BatchSize = 32
	c.Learner.WarmupSteps = 20
	c.Checkpoints = rundir.Retention{Last: 2, Every: 3}
	c.Duels = recipe.Duels{Share: 0.3, Every: 2, Anchor: "random"}
	return c
}

func options(dir string, generations int) train.Options {
	game, err := findGame("mnk")
	if err != nil {
		panic(err)
	}
	return train.Options{Dir: dir, Game: game, Find: findGame, Config: small(), Workers: 1, Backend: kernel.Best(), Generations: generations}
}

func run(t *testing.T, o train.Options) {
	t.Helper()
	require.NoError(t, train.Run(context.Background(), o))
}

// copyOf returns a copy of a folder.
func copyOf(t *testing.T, dir string) string {
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// contents returns the files of a run folder by path. Metrics are without the machine's part.
func contents(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name == "metrics.jsonl" {
			data = withoutMachine(t, data)
		}
		files[name] = string(data)
		return err
	})
	require.NoError(t, err)
	return files
}

func withoutMachine(t testing.TB, data []byte) []byte {
	var all []byte
	for line := range bytes.Lines(data) {
		var m rundir.Metrics
		require.NoError(t, json.Unmarshal(line, &m))
		m.Machine = nil
		out, err := json.Marshal(m)
		require.NoError(t, err)
		all = append(append(all, out...), '\n')
	}
	return all
}

// requireSame compares run folders byte by byte.
func requireSame(t *testing.T, want map[string]string, dir string) {
	t.Helper()
	got := contents(t, dir)
	require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
	for name := range want {
		require.True(t, got[name] == want[name], "%s differs", name)
	}
}

// stopper cancels a run at a step of a phase of a generation.
type stopper struct {
	phase      string
	generation int
	step       int
	cancel     context.CancelFunc

	now   string
	begun map[string]int
	steps int
}

func (s *stopper) events() train.Events {
	return both(on(s.start), on(s.progress))
}

func (s *stopper) start(p train.Phase) {
	if s.begun == nil {
		s.begun = map[string]int{}
	}
	s.begun[p.Name]++
	s.now, s.steps = p.Name, p.Done
	s.progress(train.Advanced{})
}

func (s *stopper) progress(a train.Advanced) {
	s.steps += a.Steps
	if s.now == s.phase && s.begun[s.now] == s.generation && s.steps >= s.step {
		s.cancel()
	}
}

// TestResumedRunsAreExact: a run that is stopped at any point and resumed with any number of
// workers leaves the same folder.
func TestResumedRunsAreExact(t *testing.T) {
	unbroken := t.TempDir()
	run(t, options(unbroken, 4))
	want := contents(t, unbroken)
	names := []string{"config.yaml", "lock", "metrics.jsonl"}
	for _, g := range []string{"000000", "000003", "000004"} { // the last two, and every third
		for _, name := range []string{"info.json", "optimizer.safetensors", "state.json", "weights.safetensors"} {
			names = append(names, filepath.Join("checkpoints", g, name))
		}
	}
	for _, g := range []string{"000001", "000002", "000003", "000004"} { // the window of generation 3 began in generation 1
		names = append(names, filepath.Join("episodes", g+".jsonl.zst"))
	}
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(want)))

	t.Run("workers", func(t *testing.T) {
		o := options(t.TempDir(), 4)
		o.Workers = 3
		o.Config.Selfplay.ConcurrentGames = 5
		run(t, o)
		other := maps.Clone(want)
		other["config.yaml"] = contents(t, o.Dir)["config.yaml"]
		requireSame(t, other, o.Dir)
	})
	t.Run("between generations", func(t *testing.T) {
		dir := t.TempDir()
		for n := range 5 {
			o := options(dir, n)
			if n == 0 {
				o.Generations = 1
			}
			run(t, o)
		}
		requireSame(t, want, dir)
	})
	tests := []struct {
		name       string
		phase      string
		generation int
		step       int
	}{
		{"before the first game", train.PhaseSelfplay, 1, 0},
		{"in self-play", train.PhaseSelfplay, 3, 17},
		{"after the last game", train.PhaseSelfplay, 3, 40},
		{"before learning", train.PhaseLearn, 2, 0},
		{"in duels", train.PhaseDuels, 1, 2},
		{"in learning", train.PhaseLearn, 3, 7},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := options(t.TempDir(), 4)
			ctx, cancel := context.WithCancel(context.Background())
			o.Events = (&stopper{phase: test.phase, generation: test.generation, step: test.step, cancel: cancel}).events()
			require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
			o.Events = nil
			o.Workers = 2
			run(t, o)
			requireSame(t, want, o.Dir)
		})
	}
}

// TestInterruptedGamesAreKept: only the missing games are played.
func TestInterruptedGamesAreKept(t *testing.T) {
	o := options(t.TempDir(), 1)
	ctx, cancel := context.WithCancel(context.Background())
	o.Events = (&stopper{phase: train.PhaseSelfplay, generation: 1, step: 25, cancel: cancel}).events()
	require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
	second := &recorder{}
	o.Events = second.events()
	run(t, o)
	require.GreaterOrEqual(t, second.done, 25)
	require.Equal(t, 40, second.done+second.advanced)
	require.Equal(t, 1, second.generations)
}

// recorder records the self-play phase.
type recorder struct {
	phase                       string
	done, advanced, generations int
	actions                     int
}

func (r *recorder) events() train.Events {
	return both(on(r.start), on(r.progress), on(func(train.Completed) { r.generations++ }))
}

func (r *recorder) start(p train.Phase) {
	if r.phase = p.Name; p.Name == train.PhaseSelfplay {
		r.done += p.Done
	}
}

func (r *recorder) progress(a train.Advanced) {
	r.actions += a.Actions
	if r.phase == train.PhaseSelfplay {
		r.advanced += a.Steps
	}
}

// named returns the options of a run with the given backend.
func named(t *testing.T, o train.Options, name string) train.Options {
	set, err := kernel.Named(name)
	require.NoError(t, err)
	o.Backend = set
	return o
}

// TestBackends: runs are resumed exactly with each backend of this CPU.
func TestBackends(t *testing.T) {
	for _, name := range kernel.Names() {
		t.Run(name, func(t *testing.T) {
			unbroken := named(t, options(t.TempDir(), 3), name)
			run(t, unbroken)
			want := contents(t, unbroken.Dir)
			require.Contains(t, want[filepath.Join("checkpoints", "000003", "state.json")], `"backend": "`+unbroken.Backend.Bits()+`"`)

			o := named(t, options(t.TempDir(), 1), name)
			run(t, o)
			o.Workers, o.Generations = 2, 3
			run(t, o)
			requireSame(t, want, o.Dir)
		})
	}
}

// TestAnotherBackend: a run may be resumed with another backend, which it reports once.
func TestAnotherBackend(t *testing.T) {
	names := kernel.Names()
	if len(names) == 1 {
		t.Skip("this CPU can run only " + names[0])
	}
	var log bytes.Buffer
	o := options(t.TempDir(), 0)
	o.Events = logTo(&log)
	for i, name := range []string{"go", "go", names[0], names[0]} {
		o.Generations = i + 1
		run(t, named(t, o, name))
	}
	require.Equal(t, 1, strings.Count(log.String(), "backend has changed"))
	require.Contains(t, log.String(), "before=go now=fma")
}

// TestMetrics checks the line of a generation.
func TestMetrics(t *testing.T) {
	o := options(t.TempDir(), 2)
	now := time.Unix(0, 0)
	o.Clock = func() time.Time { now = now.Add(time.Millisecond); return now }
	run(t, o)
	data, err := os.ReadFile(filepath.Join(o.Dir, "metrics.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	require.Len(t, lines, 2)
	var m rundir.Metrics
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &m))
	require.Equal(t, 2, m.Generation)
	require.Equal(t, 40, m.Games)
	require.Equal(t, m.Games, m.Wins[0]+m.Wins[1]+m.Draws)
	require.Equal(t, m.Games, m.Endings["full"]+m.Endings["k-in-row"])
	require.GreaterOrEqual(t, m.Shortest, 5)
	require.LessOrEqual(t, m.Longest, 9)
	require.InDelta(t, float64(m.Plies)/40, m.MeanPlies, 1e-9)
	require.Equal(t, 12, m.Simulations)
	require.Positive(t, m.SearchKL)
	require.Positive(t, m.TargetEntropy)
	require.Greater(t, m.TotalSamples, m.Samples)
	require.Equal(t, m.TotalSamples*3/32, m.TotalSteps)
	require.InDelta(t, 3, m.SampleReuse, 0.2)
	require.InDelta(t, 1e-3, m.LearningRate, 1e-12)
	require.Positive(t, m.TrainingLoss.PolicyKL)
	require.Positive(t, m.TrainingLoss.Outcome)
	require.Positive(t, m.ValidationLoss.Policy)
	require.Positive(t, m.GradNorm)
	require.Equal(t, 1, m.Machine.Workers)
	require.Equal(t, kernel.Best().Name(), m.Machine.Backend)
	require.Positive(t, m.Machine.GamesPerSecond)
	require.Positive(t, m.Machine.CacheHits)
	require.InDelta(t, 1, m.Machine.GatherFraction+m.Machine.EvaluateFraction+m.Machine.ApplyFraction+m.Machine.OtherFraction, 1e-9)
}

// TestTimeLimit: no generation begins after the limit.
func TestTimeLimit(t *testing.T) {
	o := options(t.TempDir(), 0)
	now := time.Unix(0, 0)
	o.Clock = func() time.Time { return now }
	o.Time = time.Hour
	generations := 0
	o.Events = afterEach(func() {
		generations++
		now = now.Add(25 * time.Minute)
	})
	run(t, o)
	require.Equal(t, 3, generations)
}

// TestProgress: actions are counted before games end.
func TestProgress(t *testing.T) {
	o := options(t.TempDir(), 1)
	o.Config.Selfplay.RandomOpeningProbability = 0 // actions of openings are not counted
	first := &recorder{}
	o.Events = first.events()
	run(t, o)
	data, err := os.ReadFile(filepath.Join(o.Dir, "metrics.jsonl"))
	require.NoError(t, err)
	var m rundir.Metrics
	require.NoError(t, json.Unmarshal(data, &m))
	require.Equal(t, m.Plies, first.actions)
}

// on returns events that call f with events of one type.
func on[E any](f func(E)) train.Events {
	return func(e train.Event) {
		if e, ok := e.(E); ok {
			f(e)
		}
	}
}

// both returns events that send each event to all of the given ones.
func both(all ...train.Events) train.Events {
	return func(e train.Event) {
		for _, f := range all {
			f(e)
		}
	}
}

// onWarning returns events that call f with each warning.
func onWarning(f func(text string, attrs ...any)) train.Events {
	return on(func(m train.Message) {
		if m.Level == slog.LevelWarn {
			f(m.Text, m.Attrs...)
		}
	})
}

// afterEach calls f after each generation.
func afterEach(f func()) train.Events {
	return on(func(train.Completed) { f() })
}

// logTo writes all messages to w.
func logTo(w io.Writer) train.Events {
	log := slog.New(slog.NewTextHandler(w, nil))
	return on(func(m train.Message) { log.Log(context.Background(), m.Level, m.Text, m.Attrs...) })
}

// TestOtherGames: games with payoffs for more than two seats, no symmetries, and several actions
// in a row.
func TestOtherGames(t *testing.T) {
	game := three()
	o := options(t.TempDir(), 3)
	o.Game = game
	run(t, o)
	w, info, err := rundir.OpenNetwork(disk.OS{}, o.Dir, func(string) (env.Game, error) { return game, nil })
	require.NoError(t, err)
	require.Equal(t, 3, info.Generation)
	require.Equal(t, game.Spec(), w.Spec)
}

// TestSettingsOfAFinishedRun: a command that has nothing to train does not change settings.
func TestSettingsOfAFinishedRun(t *testing.T) {
	o := options(t.TempDir(), 2)
	run(t, o)
	before := tree(t, o.Dir)
	was := o.Config.Learner.LearningRate
	o.Config.Learner.LearningRate = was / 2
	var warned []any
	o.Events = onWarning(func(text string, attrs ...any) { warned = append(append(warned, text), attrs...) })
	run(t, o)
	require.Equal(t, before, tree(t, o.Dir))
	require.Equal(t, []any{"the run is complete, so this setting is not changed", "key", fmt.Sprintf("learner.learning_rate was %v, is %v", was, was/2)}, warned)
	o.Generations = 3
	run(t, o)
	require.NotEqual(t, before["config.yaml"], tree(t, o.Dir)["config.yaml"])
}
