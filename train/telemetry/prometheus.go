package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"tiro/rundir"
)

// requestTime is how long a request may take.
const requestTime = 10 * time.Second

// Run names a run.
type Run struct {
	Game   string // game string
	Folder string
}

// Prometheus is a page with the newest metrics of a run, at /metrics, in the text
// exposition format 0.0.4. Its methods may be called from several goroutines.
type Prometheus struct {
	run    Run
	server http.Server
	listen net.Listener
	served sync.WaitGroup

	mu   sync.Mutex
	page string
}

// CheckLoopback returns an error unless address is an IP address of this machine's
// loopback and a port, such as 127.0.0.1:9090 or [::1]:9090. The port 0 stands for
// any free one.
func CheckLoopback(address string) error {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not an address and a port; want one such as 127.0.0.1:9090", address)
	case !at.Addr().Unmap().IsLoopback():
		return fmt.Errorf("%s can be reached from other machines; want a loopback address such as 127.0.0.1:%d", address, at.Port())
	}
	return nil
}

// ServePrometheus serves the page of a run at an address that passes CheckLoopback,
// until Close.
func ServePrometheus(address string, run Run) (*Prometheus, error) {
	if err := CheckLoopback(address); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	listen, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("telemetry: serve metrics: %w", err)
	}
	p := &Prometheus{run: run, listen: listen}
	p.page = p.text(nil)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", p.serve)
	p.server = http.Server{Handler: mux, ReadTimeout: requestTime, WriteTimeout: requestTime, MaxHeaderBytes: 1 << 14}
	p.served.Go(func() { _ = p.server.Serve(listen) }) // it ends by Close; without it the page is gone, and the run goes on
	return p, nil
}

// URL returns where the page is.
func (p *Prometheus) URL() string { return "http://" + p.listen.Addr().String() + "/metrics" }

// Add makes m the newest generation. It never fails.
func (p *Prometheus) Add(m *rundir.Metrics) error {
	page := p.text(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.page = page
	return nil
}

// Close ends the service and its connections.
func (p *Prometheus) Close() error {
	err := p.server.Close()
	p.served.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (p *Prometheus) serve(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	page := p.page
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(page)) // who has gone away needs no answer
}

// text returns the page of a generation; m is nil before the first one.
func (p *Prometheus) text(m *rundir.Metrics) string {
	var b strings.Builder
	head := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	head(prefix+"run_info", gauge, "The run whose metrics these are; always 1.")
	fmt.Fprintf(&b, "%srun_info{game=\"%s\",run=\"%s\"} 1\n", prefix, escape(p.run.Game), escape(p.run.Folder))
	if m == nil {
		return b.String()
	}
	for i := range all {
		s := &all[i]
		points := s.of(m)
		if len(points) == 0 {
			continue
		}
		head(prefix+s.name, s.kind, s.help)
		for _, point := range points {
			b.WriteString(prefix + s.name)
			if s.label != "" {
				fmt.Fprintf(&b, "{%s=\"%s\"}", s.label, escape(point.which))
			}
			b.WriteString(" " + strconv.FormatFloat(point.x, 'g', -1, 64) + "\n")
		}
	}
	return b.String()
}

// escape writes the value of a label.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(text, "\uFFFD"))
}
