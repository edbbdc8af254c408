package telemetry

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"tiro/rundir"
)

// Page is what Prometheus reads: the newest generation of a run, and totals, in its text
// format (version 0.0.4). It is safe for concurrent use.
type Page struct {
	labels string

	mu     sync.Mutex
	newest *rundir.Metrics // nil before the first generation
	games  int             // since the run began
	cpu    float64         // CPU time in seconds since the run began, as far as it is known
}

// NewPage returns the page of a run of a game, before any generation.
func NewPage(game, run string) *Page {
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	return &Page{labels: fmt.Sprintf(`{game="%s",run="%s"}`, escape.Replace(game), escape.Replace(run))}
}

// Add shows a generation, which is newer than those before.
func (p *Page) Add(m *rundir.Metrics) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest = m
	p.games += m.Games
	if m.Machine != nil {
		p.cpu += m.Machine.CPUSeconds
	}
}

// ServeHTTP answers GET /metrics.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != "/metrics":
		http.Error(w, "the metrics are at /metrics", http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "want GET", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(p.text())) // a reader that is gone needs no answer
}

func (p *Page) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	add := func(name, kind, help string, value float64) {
		fmt.Fprintf(&b, "# HELP tiro_%s %s\n# TYPE tiro_%s %s\ntiro_%s%s %s\n", name, help, name, kind, name, p.labels, strconv.FormatFloat(value, 'g', -1, 64))
	}
	add("games_total", "counter", "games of self-play since the run began", float64(p.games))
	add("cpu_seconds_total", "counter", "CPU time since the run began", p.cpu)
	if p.newest == nil {
		add("generation", "gauge", "generations that are complete", 0)
		return b.String()
	}
	add("generation", "gauge", "generations that are complete", float64(p.newest.Generation))
	for _, s := range Scalars(p.newest) {
		add(s.Group+"_"+s.Name, "gauge", s.Help, s.Value)
	}
	return b.String()
}
