package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/rundir"
	"tiro/train"
	"tiro/train/telemetry"
)

// outlets hand the metrics of a run to other tools, as far as flags ask for it. What
// fails once the run has begun is reported, and the run goes on without it.
type outlets struct {
	tensorboard string // folder for event files; empty for none
	prometheus  string // address to listen on; empty for none

	file   *os.File
	events *telemetry.Events
	first  bool // whether the folder had no event file
	page   *telemetry.Page
	server *http.Server
	served chan struct{} // closed when the server has ended
}

// open opens the outlets of the run in a folder. The caller closes them.
func (o *outlets) open(game env.Game, run string) (err error) {
	if o.prometheus != "" {
		if err := o.listen(game, run); err != nil {
			return err
		}
	}
	if o.tensorboard != "" {
		if err := o.create(); err != nil {
			return errors.Join(fmt.Errorf("--tensorboard: %w", err), o.close())
		}
	}
	return nil
}

// listen serves the page of Prometheus, to programs of this machine only.
func (o *outlets) listen(game env.Game, run string) error {
	host, _, err := net.SplitHostPort(o.prometheus)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usage(fmt.Errorf("--prometheus %s; want an address of this machine alone, such as 127.0.0.1:9090", o.prometheus))
	}
	listener, err := net.Listen("tcp", o.prometheus)
	if err != nil {
		return fmt.Errorf("--prometheus: %w", err)
	}
	o.page = telemetry.NewPage(game.Spec().Name, run)
	o.server = &http.Server{Handler: o.page, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)}
	o.served = make(chan struct{})
	go func() {
		defer close(o.served)
		_ = o.server.Serve(listener) // ends when it is closed
	}()
	o.prometheus = listener.Addr().String()
	return nil
}

// create begins a new event file.
func (o *outlets) create() error {
	dir, err := systemPath(o.tensorboard)
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(disk.OS{}, dir); err != nil {
		return err
	}
	const name = "events.out.tfevents."
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	o.first = true
	for _, f := range files {
		o.first = o.first && !strings.HasPrefix(f.Name(), name)
	}
	now := time.Now()
	if o.file, err = os.Create(filepath.Join(dir, fmt.Sprintf("%s%d.tiro", name, now.UnixNano()))); err != nil {
		return err
	}
	o.events, err = telemetry.NewEvents(o.file, now)
	return err
}

// follow returns events that also feed the outlets. Generations of the run that were
// complete before it was resumed go to Prometheus, and to a new folder of event files.
func (o *outlets) follow(e train.Events, run string) train.Events {
	start, generation := e.Start, e.Generation
	e.Start = func(newest int) {
		start(newest)
		if o.page != nil {
			e.Info("metrics for Prometheus", "address", "http://"+o.prometheus+"/metrics")
		}
		lines, _ := rundir.At(disk.OS{}, run).Metrics() // without them, only what is past is missing
		for i := range lines {
			if lines[i].Generation <= newest {
				o.add(&lines[i], o.first, e.Warn)
			}
		}
	}
	e.Generation = func(m rundir.Metrics) {
		generation(m)
		o.add(&m, true, e.Warn)
	}
	return e
}

// add hands on a generation, if wanted to the event file, too.
func (o *outlets) add(m *rundir.Metrics, event bool, warn func(string, ...any)) {
	if o.page != nil {
		o.page.Add(m)
	}
	if o.events == nil || !event {
		return
	}
	if err := o.events.Add(m, time.Now()); err != nil {
		warn("no more events for TensorBoard; the run goes on", "reason", err)
		o.events = nil
	}
}

// close closes the outlets.
func (o *outlets) close() error {
	var failures []error
	if o.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		failures = append(failures, o.server.Shutdown(ctx))
		<-o.served
	}
	if o.file != nil {
		failures = append(failures, o.file.Close())
	}
	return errors.Join(failures...)
}
