package web

import (
	"context"
	"errors"
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

	"tiro/env/games"
	"tiro/internal/browser"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// startTraining trains a small network in a folder until stop is called.
func startTraining(t testing.TB, dir, name string) (stop func()) {
	game, err := games.New(name)
	require.NoError(t, err)
	c := recipe.Default(game.Spec().Name)
	c.GamesPerGeneration = 40
	c.Net.Channels, c.Net.Blocks = 8, 1
	c.Selfplay.Search.Simulations, c.Selfplay.SimulationSchedule = 8, nil
	c.Selfplay.ConcurrentGames = 4
	c.Learner.BatchSize = 32
	c.Duels = recipe.Duels{Share: 1, Every: 1, Anchor: "random"}
	ctx, cancel := context.WithCancel(t.Context())
	var training sync.WaitGroup
	training.Go(func() {
		err := train.Run(ctx, train.Options{
			Dir: dir, Game: game, Config: c, Workers: 1, Backend: kernel.Best(),
			Clock: time.Now, CPU: func() time.Duration { return time.Since(time.Time{}) }, Version: "test",
		})
		require.ErrorIs(t, err, train.ErrInterrupted)
	})
	stop = sync.OnceFunc(func() {
		cancel()
		training.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// TestWatchBrowser watches a run in a real browser, starting before the run begins. Its curves
// grow, its games are shown move by move, and its faults are reported.
func TestWatchBrowser(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	second := filepath.Join(t.TempDir(), "second")
	o := optionsFor(t, t.TempDir(), "connect4")
	o.Runs = []string{dir, second}
	h := serve(t, o)
	b := browser.Open(t, h.URL+"/")
	b.WaitFor(`!document.getElementById("runs-link").hidden`)
	b.Navigate(browser.Eval[string](b, `document.getElementById("runs-link").href`))
	const state = `document.getElementById("state").textContent`
	b.WaitFor(`(` + state + `).includes("appear when it starts")`)

	stop := startTraining(t, dir, "connect4")
	defer startTraining(t, second, "connect4")()
	generation := `Number([...document.querySelectorAll("#facts div")].find(e => e.firstChild.textContent === "Generation")?.lastChild.textContent ?? 0)`
	dots := `document.querySelectorAll("#charts section:nth-child(2) circle.d0").length`
	b.WaitFor(generation + ` >= 2 && ` + dots + ` >= 2`)
	before := browser.Eval[int](b, dots)
	b.WaitFor(dots + ` > ` + strconv.Itoa(before))
	require.Equal(t, "Rating", browser.Eval[string](b, `document.querySelector("#charts h2").textContent`))
	require.Positive(t, browser.Eval[int](b, `document.querySelectorAll("#charts .band").length`))
	b.WaitFor(`document.getElementById("words").textContent.includes("generations: ")`)
	b.WaitFor(`document.getElementById("news").textContent.includes("is complete")`)

	// The games play automatically until a user takes control.
	const board = `document.getElementById("board").getAttribute("aria-label") ?? ""`
	b.WaitFor(`/move [1-9]/.test(` + board + `)`)
	browser.Eval[string](b, `document.getElementById("first").click(); ""`)
	require.Equal(t, "Board: the start", browser.Eval[string](b, board))
	require.Equal(t, "false", browser.Eval[string](b, `document.getElementById("follow").getAttribute("aria-pressed")`))
	start := browser.Eval[string](b, `document.getElementById("board").innerHTML`)
	browser.Eval[string](b, `document.getElementById("next").click(); ""`)
	require.Contains(t, browser.Eval[string](b, board), "Board: move 1 of ")
	require.NotEqual(t, start, browser.Eval[string](b, `document.getElementById("board").innerHTML`))
	browser.Eval[string](b, `document.getElementById("last").click(); ""`)
	require.Contains(t, browser.Eval[string](b, `document.getElementById("opinion").textContent`), "plies")

	b.Reload()
	b.WaitFor(generation + ` >= 3 && ` + dots + ` >= 3`)
	for _, width := range []int64{1200, 768, 375} {
		b.Fits(width, 800)
	}
	picture(b, "watch")
	// The pointer shows values, and another run and smoothing change the charts.
	browser.Eval[string](b, `(() => {
  const chart = document.querySelector("#charts svg.chart"), box = chart.getBoundingClientRect();
  chart.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true }));
  return "";
})()`)
	require.Regexp(t, `at \d+$`, browser.Eval[string](b, `document.getElementById("pointed").textContent`))
	browser.Eval[string](b, `(() => {
  document.getElementById("compare").open = true;
  document.querySelector("#others input").click();
  const smoothing = document.getElementById("smoothing");
  smoothing.value = "0.8";
  smoothing.dispatchEvent(new Event("change"));
  return "";
})()`)
	b.WaitFor(`document.querySelectorAll("#charts .faint.d1").length > 0 && document.querySelector("#charts section div").textContent.includes("second")`)
	picture(b, "compare")
	stop()
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.ConfigFile), []byte("nonsense"), 0o666))
	b.WaitFor(`(` + state + `).includes("cannot be read") && document.getElementById("fault").textContent.includes("config.yaml")`)
	require.Empty(t, slices.DeleteFunc(b.Complaints(), func(text string) bool {
		return strings.Contains(text, "status of 404") // a game that was among the latest when the page began to ask for it
	}))
}

// TestWatchOtherSites: information about runs is for this site only, like the rest of the API.
func TestWatchOtherSites(t *testing.T) {
	o := optionsFor(t, t.TempDir(), "mnk")
	o.Runs = []string{t.TempDir()}
	h := serve(t, o)
	for _, path := range []string{"/api/runs", "/api/runs/000000000000", "/watch", "/chart.css"} {
		for header, value := range map[string]string{"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+path, nil)
			require.NoError(t, err)
			r.Header.Set(header, value)
			answer, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, http.StatusForbidden, answer.StatusCode, path)
		}
	}
}

// watchTraining opens the page of a training of Connect Four, which ends with the test. A request is
// answered by instead, if that returns true, and otherwise by the server.
func watchTraining(t *testing.T, instead func(http.ResponseWriter, *http.Request) bool) *browser.Browser {
	dir := filepath.Join(t.TempDir(), "run")
	o := optionsFor(t, t.TempDir(), "connect4")
	o.Runs = []string{dir}
	server, err := New(o)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !instead(w, r) {
			server.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(h.Close)
	startTraining(t, dir, "connect4")
	return browser.Open(t, h.URL+"/watch")
}

// TestWatchByTheServersClock: ages and durations are right in a browser whose clock is two
// hours ahead.
func TestWatchByTheServersClock(t *testing.T) {
	b := watchTraining(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/watch.js" {
			return false
		}
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write([]byte("{ const real = Date.now; Date.now = () => real() + 7200e3; }\n"))
		text, _ := assets.ReadFile("assets/watch.js")
		_, _ = w.Write(text)
		return true
	})
	const written = `([...document.querySelectorAll("#facts div")].find(e => e.firstChild.textContent === "Last activity")?.lastChild.textContent ?? "")`
	b.WaitFor(`/^[0-9]{1,2} s ago$/.test(` + written + `)`)
	b.WaitFor(`/(played|games); complete in about [0-9]+ (s|min)/.test(document.getElementById("state").textContent)`)
}

// TestWatchGoneGame: the page continues with the newest game if the game that it requested is no
// longer among the latest.
func TestWatchGoneGame(t *testing.T) {
	var refused atomic.Bool
	b := watchTraining(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "/games/") || refused.Swap(true) {
			return false
		}
		refuse(w, http.StatusNotFound, errors.New("this game is not among the latest of the run"))
		return true
	})
	b.WaitFor(`/^Board: /.test(document.getElementById("board").getAttribute("aria-label"))`)
	require.True(t, refused.Load())
}

// TestWatchAgain: the charts of a stopped run appear after a failure of the server.
func TestWatchAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	stop := startTraining(t, dir, "connect4")
	require.Eventually(t, func() bool {
		info, err := os.Stat(filepath.Join(dir, rundir.MetricsFile))
		return err == nil && info.Size() > 0
	}, 5*time.Minute, 10*time.Millisecond)
	stop()
	o := optionsFor(t, t.TempDir(), "connect4")
	o.Runs = []string{dir}
	server, err := New(o)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	var failed atomic.Bool
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/charts") && !failed.Swap(true) {
			http.Error(w, "<h1>Bad Gateway</h1>", http.StatusBadGateway)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	b := browser.Open(t, h.URL+"/watch")
	b.WaitFor(`document.querySelectorAll("#charts svg").length > 0`)
	require.True(t, failed.Load())
}

// TestWatchNothing: the page shows that there are no runs, the error of a server that refuses, and
// that a server behind a proxy has stopped.
func TestWatchNothing(t *testing.T) {
	const state = `document.getElementById("state").textContent`
	o := optionsFor(t, t.TempDir(), "mnk")
	b := browser.Open(t, serve(t, o).URL+"/watch")
	b.WaitFor(state + `.startsWith("No runs to watch")`)

	o.Dir, o.Runs = t.TempDir(), []string{filepath.Join(t.TempDir(), "run")}
	server, err := New(o)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	var down, listed atomic.Bool
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			http.Error(w, "<h1>Bad Gateway</h1>", http.StatusBadGateway)
			if r.URL.Path == "/api/runs" {
				listed.Store(true)
			}
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/runs/") {
			refuse(w, http.StatusForbidden, errors.New("the token is missing"))
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(refusing.Close)
	b.Navigate(refusing.URL + "/watch")
	const fault = `document.getElementById("fault")`
	b.WaitFor(fault + `.textContent === "the token is missing"`)

	browser.Eval[string](b, `
window.seen = [];
new MutationObserver(() => window.seen.push(`+fault+`.textContent)).observe(`+fault+`, { childList: true });
"";`)
	down.Store(true)
	require.Eventually(t, listed.Load, 5*time.Minute, 10*time.Millisecond)
	b.WaitFor(`window.seen.length > 0`)
	require.Equal(t, []string{"The server does not answer. Retrying …"}, browser.Eval[[]string](b, `window.seen`))
}
