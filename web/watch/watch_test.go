package watch

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/internal/leaks"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/progress"
	"tiro/train"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// trained trains a small network in a folder up to the given generation.
func trained(t testing.TB, ctx context.Context, dir, name string, generations int) error {
	game, err := games.New(name)
	require.NoError(t, err)
	c := recipe.Default(game.Spec().Name)
	c.GamesPerGeneration = 16
	c.Net.Channels, c.Net.Blocks = 8, 1
	c.Selfplay.Search.Simulations, c.Selfplay.SimulationSchedule = 4, nil
	c.Selfplay.ConcurrentGames = 4
	c.Learner.BatchSize = 32
	c.Duels = recipe.Duels{Share: 1, Every: 1, Anchor: "random"}
	c.Checkpoints.Last = 4
	return train.Run(ctx, train.Options{
		Dir: dir, Game: game, Config: c, Workers: 1, Backend: kernel.Best(), Generations: generations,
		Clock: time.Now, CPU: func() time.Duration { return time.Since(time.Time{}) }, Version: "test",
	})
}

// serve returns a server that watches paths.
func serve(t testing.TB, paths ...string) *httptest.Server {
	w := New(Options{Disk: disk.OS{}, Find: games.New, Paths: paths, Every: 10 * time.Millisecond, Now: time.Now})
	h := httptest.NewServer(w)
	t.Cleanup(func() {
		h.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return h
}

// get requests an address, checks the status and decodes the answer.
func get[T any](t testing.TB, url string, status int) (answer T) {
	r, err := http.Get(url)
	require.NoError(t, err)
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, status, r.StatusCode, string(data))
	require.NoError(t, json.Unmarshal(data, &answer), string(data))
	return answer
}

// runs returns the addresses of a server's runs.
func runs(t testing.TB, h *httptest.Server) (urls []string) {
	for _, run := range get[[]Listed](t, h.URL+"/api/runs", 200) {
		urls = append(urls, h.URL+"/api/runs/"+run.ID)
	}
	return urls
}

// must returns value and panics if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestRun: the answers about a trained run agree with its files.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, trained(t, t.Context(), dir, "mnk", 3))
	h := serve(t, dir)
	url := runs(t, h)[0]
	s := get[Status](t, url, 200)
	require.Equal(t, "mnk", s.Game)
	require.Equal(t, 3, s.Generation)
	require.Equal(t, 16, s.Games)
	require.Empty(t, s.Fault)
	require.NotNil(t, s.Rating)
	require.Equal(t, 3, s.Rating.Generation)
	require.Contains(t, strings.Join(s.Words, " "), "has completed 3 generations: 48 games")
	require.Len(t, s.Latest, 8)

	_, episodes, err := rundir.At(disk.OS{}, dir).ReadEpisodes(rundir.At(disk.OS{}, dir).Generation(3).Episodes(), games.New)
	require.NoError(t, err)
	for i, l := range s.Latest {
		e := episodes[len(episodes)-1-i]
		require.Equal(t, Played{3, e.Game, progress.Summary(must(games.New("mnk")), &e)}, l)
		replay := get[progress.Replay](t, url+"/games/3/"+strconv.Itoa(l.Number), 200)
		require.Len(t, replay.Games[0].Frames, len(e.Actions)+1)
	}
	charts := get[Charts](t, url+"/charts", 200)
	require.Equal(t, s.Charts, charts.Version)
	var titles []string
	for _, f := range charts.Figures {
		titles = append(titles, f.Title)
		require.Contains(t, string(f.SVG), "<svg")
	}
	require.Equal(t, []string{"Rating", "Outcome loss", "Policy loss", "Games per second", "Results", "Game lengths"}, titles)

	smooth := get[Charts](t, url+"/charts?smooth=0.9", 200)
	require.Len(t, smooth.Figures, len(charts.Figures))
	require.Contains(t, string(smooth.Figures[0].SVG), "faint")
	together := get[Charts](t, url+"/charts?with="+s.ID, 200) // a run beside itself
	require.Equal(t, "Rating", together.Figures[0].Title)
	require.Equal(t, "Results: % won by player 1", together.Figures[4].Title)
	require.Equal(t, 2, strings.Count(string(together.Figures[0].Legend), dir))
	require.Equal(t, []string{"a", "b"}, shortest([]string{"x/a", "y/b"}))
	for query, status := range map[string]int{"smooth=1": 400, "smooth=NaN": 400, "smooth=x": 400, "with=000000000000": 404, "with=1&with=2&with=3&with=4&with=5": 400} {
		require.NotEmpty(t, get[map[string]string](t, url+"/charts?"+query, status)["error"], query)
	}

	for path, want := range map[string]string{
		"/games/3/99": "not among the latest", "/games/2/0": "not among the latest", "/games/-1/0": "not among the latest",
	} {
		require.Contains(t, get[map[string]string](t, url+path, 404)["error"], want)
	}
	require.Contains(t, get[map[string]string](t, url+"/games/x/0", 400)["error"], `generation must be a number, not "x"`)
	require.Contains(t, get[map[string]string](t, h.URL+"/api/runs/000000000000", 404)["error"], "no such run")
	require.Contains(t, get[map[string]string](t, h.URL+"/api/runs/..%2f..%2fetc", 404)["error"], "no such run")
}

// TestLive: a watcher of a folder sees a run appear, its games as they end, its generations,
// and its end. Watching does not change the run.
func TestLive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	h := serve(t, dir)
	url := runs(t, h)[0]
	require.Equal(t, PhaseWaiting, get[Status](t, url, 200).Phase)
	var training sync.WaitGroup
	training.Go(func() { require.NoError(t, trained(t, t.Context(), dir, "mnk", 4)) })
	partial := map[int]bool{} // generations with games seen during self-play
	games, last := map[[2]int]bool{}, 0
	for last < 4 {
		s := get[Status](t, url, 200)
		require.Empty(t, s.Fault)
		require.GreaterOrEqual(t, s.Generation, last)
		require.LessOrEqual(t, s.Playing, s.Games)
		last = s.Generation
		for _, l := range s.Latest {
			games[[2]int{l.Generation, l.Number}] = true
			partial[l.Generation] = partial[l.Generation] || l.Generation > s.Generation
		}
	}
	training.Wait()
	require.NotEmpty(t, partial)
	require.NotEmpty(t, games)

	unwatched := filepath.Join(t.TempDir(), "run")
	require.NoError(t, trained(t, t.Context(), unwatched, "mnk", 4))
	for _, name := range []string{"checkpoints/000004/weights.safetensors", "episodes/000004.jsonl.zst"} {
		a, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(unwatched, name))
		require.NoError(t, err)
		require.Equal(t, a, b, name)
	}
}

// TestList: a folder of runs is replaced with its runs in order of their names, and no run is
// listed twice.
func TestList(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"b", "a", "none"} {
		require.NoError(t, os.Mkdir(filepath.Join(parent, name), 0o777))
	}
	h := serve(t, parent, filepath.Join(parent, "b")+"/", filepath.Join(parent, "later"))
	names := func() (all []string) {
		for _, run := range get[[]Listed](t, h.URL+"/api/runs", 200) {
			name, err := filepath.Rel(parent, run.Name)
			require.NoError(t, err)
			all = append(all, filepath.ToSlash(name))
		}
		return all
	}
	require.Equal(t, []string{".", "b", "later"}, names())
	for _, name := range []string{"a", "b"} {
		require.NoError(t, os.WriteFile(filepath.Join(parent, name, rundir.ConfigFile), nil, 0o666))
	}
	require.Eventually(t, func() bool { return slices.Equal(names(), []string{"a", "b", "later"}) }, 5*time.Minute, 5*time.Millisecond)
}

// TestBroken: the faults of a run are reported, and the rest of the run is shown.
func TestBroken(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "run")
	require.NoError(t, trained(t, t.Context(), dir, "mnk", 2))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	h := serve(t, parent) // a folder that contains runs
	url := runs(t, h)[0]
	until := func(what string, is func(s *Status) bool) {
		var s Status
		require.Eventually(t, func() bool {
			s = get[Status](t, url, 200)
			return is(&s)
		}, 5*time.Minute, 5*time.Millisecond, what)
	}
	intact := func(s *Status) bool { return s.Fault == "" && s.Generation == 2 }
	until("intact", intact)

	metrics, config := read("metrics.jsonl"), read("config.yaml")
	write("metrics.jsonl", metrics+"{damaged}\n")
	until("a damaged line", func(s *Status) bool { return strings.Contains(s.Fault, "metrics.jsonl:3: ") && s.Generation == 2 })
	write("metrics.jsonl", metrics)
	until("intact", intact)

	write("episodes/000003.part", "nonsense, and enough of it")
	until("damaged games", func(s *Status) bool { return strings.Contains(s.Fault, "000003.part: ") })
	require.NoError(t, os.Remove(filepath.Join(dir, "episodes/000003.part")))
	until("intact", intact)

	write("log.jsonl", `{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"bye","state":{"phase":"stopped","reason":"Ctrl-C"}}`+"\n")
	until("stopped", func(s *Status) bool { return s.Phase == PhaseStopped && s.Last == "Ctrl-C" })
	end := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	write("log.jsonl", read("log.jsonl")+`{"msg":"train","state":{"phase":"training","generations":900000,"until":"`+end.Format(time.RFC3339)+`"}}`+"\n"+`{"msg":"stopped"}`+"\n")
	until("resumed", func(s *Status) bool {
		return s.Phase == PhaseSelfplay && s.Target == 900000 && s.Ends == end.UnixMilli()
	})

	long := time.Now().Add(-time.Hour)
	for _, name := range []string{"config.yaml", "metrics.jsonl", "log.jsonl", "checkpoints", "episodes"} {
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), long, long))
	}
	until("quiet", func(s *Status) bool { return s.Phase == PhaseQuiet })

	write("config.yaml", "nonsense: 1\n")
	until("broken", func(s *Status) bool { return s.Phase == PhaseBroken && strings.Contains(s.Fault, "config.yaml") })
	write("config.yaml", config)
	until("intact", intact)
}

// TestResumed: the time in which a run was stopped does not count as training.
func TestResumed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, trained(t, t.Context(), dir, "mnk", 3))
	line := `{"msg":"train","state":{"phase":"training","generations":5}}` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.LogFile), []byte(line), 0o666))
	yesterday := time.Now().Add(-24 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, rundir.MetricsFile), yesterday, yesterday))
	s := get[Status](t, runs(t, serve(t, dir))[0], 200)
	require.Equal(t, PhaseSelfplay, s.Phase)
	require.Greater(t, s.Next, yesterday.Add(time.Hour).UnixMilli())
	require.Greater(t, s.Ends, s.Next, "two generations are missing")
}

// TestReplaced: the charts of a run that has been removed are not shown for a run of another game
// in its folder.
func TestReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, trained(t, t.Context(), dir, "mnk", 1))
	now := time.Now()
	w := New(Options{Disk: disk.OS{}, Find: games.New, Paths: []string{dir}, Now: func() time.Time { return now }})
	charts := func() (c Charts) {
		now = now.Add(time.Hour) // a reading is due
		out := httptest.NewRecorder()
		w.ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/api/runs/"+identify(dir)+"/charts", nil))
		require.NoError(t, json.Unmarshal(out.Body.Bytes(), &c))
		return c
	}
	require.NotEmpty(t, charts().Figures)
	config, err := os.ReadFile(filepath.Join(dir, rundir.ConfigFile))
	require.NoError(t, err)
	_, other, _ := strings.Cut(strings.Replace(string(config), "game: mnk", "game: connect4", 1), "\n") // without the checksum
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.ConfigFile), []byte(other), 0o666))
	require.NoError(t, os.Remove(filepath.Join(dir, rundir.MetricsFile)))
	require.Empty(t, charts().Figures)
}

// TestNewRun: the games of a run that has been removed are not shown for a new run of the same game
// in its folder.
func TestNewRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, trained(t, t.Context(), dir, "mnk", 1))
	now := time.Now()
	f := New(Options{Disk: disk.OS{}, Find: games.New, Now: func() time.Time { return now }}).remembered(Listed{"", dir})
	read := func() (s Status) {
		now = now.Add(time.Hour) // a reading is due
		require.NoError(t, json.Unmarshal(f.current(), &s))
		return s
	}
	require.Len(t, read().Latest, latestGames)
	config, err := os.ReadFile(filepath.Join(dir, rundir.ConfigFile))
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Mkdir(dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.ConfigFile), config, 0o666))
	s := read()
	require.Empty(t, s.Fault)
	require.Empty(t, s.Latest)
}

// FuzzPaths: every path gets an answer.
func FuzzPaths(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "run")
	require.NoError(f, trained(f, f.Context(), dir, "mnk", 1))
	w := New(Options{Disk: disk.OS{}, Find: games.New, Paths: []string{dir}, Every: time.Second, Now: time.Now})
	id := identify(dir)
	f.Add("", "")
	f.Add(id, "charts")
	f.Add(id, "games/1/0")
	f.Add(id, "games/1/9223372036854775808")
	f.Add("../..", "charts")
	f.Fuzz(func(t *testing.T, run, what string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = "/api/runs/" + run + "/" + what
		out := httptest.NewRecorder()
		w.ServeHTTP(out, r)
		require.Less(t, out.Code, 500)
	})
}

// counting counts the opened files and the listed folders.
type counting struct {
	disk.OS
	reads *atomic.Int64
}

func (c counting) Open(path string) (disk.File, error) {
	c.reads.Add(1)
	return c.OS.Open(path)
}

func (c counting) ReadDir(path string) ([]fs.DirEntry, error) {
	c.reads.Add(1)
	return c.OS.ReadDir(path)
}

// TestReadOnce: a run's files are read at most once in each interval Every, however many
// clients watch the run.
func TestReadOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, trained(t, t.Context(), dir, "mnk", 2))
	var reads, now atomic.Int64
	w := New(Options{
		Disk: counting{reads: &reads}, Find: games.New, Paths: []string{dir}, Every: time.Second,
		Now: func() time.Time { return time.Unix(1e9, now.Load()) },
	})
	path := "/api/runs/" + w.list()[0].ID
	ask := func() {
		var all sync.WaitGroup
		for range 50 {
			for _, what := range []string{"", "/charts", "/games/2/0"} {
				all.Go(func() { w.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path+what, nil)) })
			}
		}
		all.Wait()
	}
	ask()
	once := reads.Load()
	require.Less(t, once, int64(30), "after 150 requests")
	ask()
	require.Equal(t, once, reads.Load(), "no read is due")
	now.Add(int64(2 * time.Second))
	ask()
	require.Less(t, reads.Load(), 2*once+1)
}
