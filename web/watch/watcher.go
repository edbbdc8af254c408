package watch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/rundir"
	"tiro/study/progress"
)

// maxRuns is the maximum number of listed runs.
const maxRuns = 1000

// Options configure a Watcher.
type Options struct {
	Disk  disk.FS
	Find  env.Lookup
	Paths []string // run folders and folders of run folders; they need not exist yet
	Every time.Duration
	Now   func() time.Time
}

// Watcher answers the requests of browsers about runs. It is safe for concurrent use.
type Watcher struct {
	options Options
	mux     *http.ServeMux

	mu     sync.Mutex
	runs   []Listed
	listed time.Time // time of the last update of runs
	feeds  map[string]*feed
}

// New returns a Watcher.
func New(o Options) *Watcher {
	w := &Watcher{options: o, mux: http.NewServeMux(), feeds: map[string]*feed{}}
	w.mux.HandleFunc("GET /api/runs", func(out http.ResponseWriter, _ *http.Request) {
		text, err := json.Marshal(w.list())
		w.answer(out, text, err)
	})
	w.mux.HandleFunc("GET /api/runs/{id}", w.with(func(f *feed, _ *http.Request) ([]byte, error) { return f.current(), nil }))
	w.mux.HandleFunc("GET /api/runs/{id}/charts", w.with(w.charts))
	w.mux.HandleFunc("GET /api/runs/{id}/games/{generation}/{number}", w.with(replay))
	return w
}

func (w *Watcher) ServeHTTP(out http.ResponseWriter, r *http.Request) { w.mux.ServeHTTP(out, r) }

// list returns all runs, without duplicates. Runs in a folder are sorted by name.
func (w *Watcher) list() []Listed {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.options.Now()
	if w.runs != nil && now.Sub(w.listed) < w.options.Every {
		return w.runs
	}
	w.runs, w.listed = []Listed{}, now
	known := map[string]bool{}
	for _, path := range w.options.Paths {
		for _, run := range w.runsAt(filepath.Clean(path)) {
			if id := identify(run); len(w.runs) < maxRuns && !known[id] {
				known[id] = true
				w.runs = append(w.runs, Listed{id, run})
			}
		}
	}
	return w.runs
}

// runsAt returns the runs in the folder path, or path itself, where a run may appear later.
func (w *Watcher) runsAt(path string) []string {
	if _, err := w.options.Disk.Stat(filepath.Join(path, rundir.ConfigFile)); err == nil {
		return []string{path}
	}
	if runs, _ := rundir.Runs(w.options.Disk, path); len(runs) > 0 {
		return runs
	}
	return []string{path}
}

// identify returns an identifier for the path of a run that is valid in URLs.
func identify(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}

// errUnknown is the error for an unknown run.
var errUnknown = errors.New("no such run")

// feed returns the feed of a listed run.
func (w *Watcher) feed(id string) (*feed, error) {
	for _, run := range w.list() {
		if run.ID == id {
			return w.remembered(run), nil
		}
	}
	return nil, errUnknown
}

// remembered returns the feed of a run that is known already.
func (w *Watcher) remembered(run Listed) *feed {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, ok := w.feeds[run.ID]
	if !ok {
		f = &feed{listed: run, every: w.options.Every, drawn: -1, reader: &reader{
			folder: rundir.At(w.options.Disk, run.Name), fsys: w.options.Disk, find: w.options.Find, now: w.options.Now,
		}}
		w.feeds[run.ID] = f
	}
	return f
}

// Newest returns the newest generation of each run that has one, by the run's path.
func (w *Watcher) Newest() map[string]*rundir.Metrics {
	all := map[string]*rundir.Metrics{}
	for _, run := range w.list() {
		if m := w.remembered(run).newest(); m != nil {
			all[run.Name] = m
		}
	}
	return all
}

// with returns the handler of a request about a run.
func (w *Watcher) with(what func(*feed, *http.Request) ([]byte, error)) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		f, err := w.feed(r.PathValue("id"))
		var text []byte
		if err == nil {
			text, err = what(f, r)
		}
		w.answer(out, text, err)
	}
}

// maxTogether is the maximum number of other runs in the charts of a run.
const maxTogether = 4

// charts returns the charts of a run. With the query "smooth" the lines are averages, with
// "with" they also show other runs.
func (w *Watcher) charts(f *feed, r *http.Request) ([]byte, error) {
	q := r.URL.Query()
	others, text := q["with"], q.Get("smooth")
	if len(others) == 0 && text == "" {
		return f.curves()
	}
	smooth, err := strconv.ParseFloat(cmp.Or(text, "0"), 64)
	if err != nil || !(smooth >= 0 && smooth < 1) {
		return nil, fmt.Errorf("smooth must be at least 0 and below 1, not %.20q", text)
	}
	if len(others) > maxTogether {
		return nil, fmt.Errorf("at most %d other runs", maxTogether)
	}
	figures, version := f.figures()
	names, runs := []string{f.listed.Name}, [][]progress.Figure{figures}
	for _, id := range others {
		other, err := w.feed(id)
		if err != nil {
			return nil, err
		}
		more, _ := other.figures()
		names, runs = append(names, other.listed.Name), append(runs, more)
	}
	if len(others) > 0 {
		figures = progress.Together(shortest(names), runs)
	}
	for i := range figures {
		figures[i].Chart.Smooth = smooth
	}
	return json.Marshal(drawn(figures, version))
}

// shortest returns the last elements of paths, or the paths if some would be the same.
func shortest(paths []string) []string {
	var names []string
	for _, p := range paths {
		if name := filepath.Base(p); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < len(paths) {
		return paths
	}
	return names
}

// replay returns the game that a request names.
func replay(f *feed, r *http.Request) ([]byte, error) {
	generation, err := strconv.Atoi(r.PathValue("generation"))
	if err != nil {
		return nil, fmt.Errorf("generation must be a number, not %.20q", r.PathValue("generation"))
	}
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return nil, fmt.Errorf("game must be a number, not %.20q", r.PathValue("number"))
	}
	return f.replay(generation, number)
}

// nowHeader is the header of an answer with the server's current time, in milliseconds since
// 1970, because the browser's clock may differ.
const nowHeader = "Tiro-Now"

// answer writes JSON, or an error with a suitable status.
func (w *Watcher) answer(out http.ResponseWriter, text []byte, err error) {
	out.Header().Set("Content-Type", "application/json")
	out.Header().Set(nowHeader, strconv.FormatInt(w.options.Now().UnixMilli(), 10))
	if err != nil {
		status := http.StatusBadRequest
		if errors.Is(err, errUnknown) || errors.Is(err, errGone) {
			status = http.StatusNotFound
		}
		out.WriteHeader(status)
		text, _ = json.Marshal(map[string]string{"error": err.Error()})
	}
	_, _ = out.Write(text)
}
