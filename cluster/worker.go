package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
)

// WorkerOptions configure a worker.
type WorkerOptions struct {
	URL         string               // of the server or servers, separated by commas
	Credentials *Credentials         // nil: none
	Name        string               // of the worker; ignored with Credentials, which have a name
	Workers     int                  // goroutines that play; on a device selfplay.DeviceWorkers for each
	Memory      int64                // bytes that the process may use
	Backend     net.Backend          // computes networks; nil: the fastest with the bits of the run's, else the fastest
	Version     string               // of this program
	Find        env.Lookup           // for example games.New
	CPU         func() time.Duration // CPU time of this process; may be nil

	// Info and Warn receive log messages, from one goroutine at a time. They may be nil.
	Info, Warn func(text string, attrs ...any)

	server *natsServer // in this process; nil: at URL
}

// Validate reports every field that is out of range.
func (o WorkerOptions) Validate() error {
	var f faults.List
	f.Check(o.URL != "" || o.server != nil, "address of the server", o.URL, "one such as nats://127.0.0.1:4222")
	if o.Name != trainerName {
		f.Add(CheckName(o.Name))
	}
	faults.Within(&f, "workers", o.Workers, 1, maxGoroutines)
	f.Check(o.Memory >= programBytes, "memory", o.Memory, fmt.Sprintf("%d bytes or more", programBytes))
	f.Check(o.Find != nil, "games", nil, "a function that finds them")
	return f.Err()
}

// worker is a running worker.
type worker struct {
	logger
	o       WorkerOptions
	nc      *nats.Conn
	wake    chan struct{} // the trainer should be asked; holds one
	fetcher *fetcher
	fault   lastError // of the last request
	hand    *hand     // nil: nothing is announced

	cpuBefore time.Duration // the hand
}

// Work plays for the trainings and matches that are announced at the server. It returns when
// ctx ends, after sending the finished games, or if the server refuses the credentials. An
// unreachable server or trainer does not end it.
func Work(ctx context.Context, o WorkerOptions) error {
	err := o.run(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("cluster: %w", err)
}

func (o WorkerOptions) run(ctx context.Context) (err error) {
	if o.Credentials != nil && o.Credentials.Worker != "" {
		o.Name = o.Credentials.Worker
	}
	if err := o.Validate(); err != nil {
		return err
	}
	if net.Batch(o.Backend) > 0 {
		o.Workers = min(o.Workers*selfplay.DeviceWorkers, maxGoroutines)
	}
	w := &worker{logger: logger{to: [2]func(string, ...any){o.Info, o.Warn}}, o: o, wake: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := client{url: o.URL, server: o.server, name: "tiro worker " + o.Name, inbox: inboxPrefix + o.Name, credentials: o.Credentials, warn: w.warn}
	c.connected = func() { w.info("connected", "server", shown(o.URL)); signal(w.wake) }
	if w.nc, err = c.connect(); err != nil {
		return err
	}
	defer w.nc.Close()
	w.fetcher = &fetcher{nc: w.nc, subject: networkPrefix + o.Name + ".", memory: o.Memory, logger: &w.logger}
	w.nc.SetClosedHandler(func(nc *nats.Conn) { cancel(refusedBy(nc)) }) // also at the end
	if _, err := w.nc.Subscribe(newsSubject, func(*nats.Msg) { signal(w.wake) }); err != nil {
		return err
	}
	w.follow(ctx)
	return context.Cause(ctx)
}

// Times of a worker.
const (
	askTimeout = 5 * time.Second
	askEvery   = 250 * time.Millisecond
	askLeast   = 10 * time.Millisecond // between two requests
	lastSend   = time.Second           // for finished games, when the worker ends
)

// follow plays the announced games, until ctx ends.
func (w *worker) follow(ctx context.Context) {
	for ctx.Err() == nil {
		w.ask(ctx)
		if pause(ctx, askLeast, nil) == nil {
			_ = pause(ctx, askEvery, w.wake)
		}
	}
	if w.hand == nil {
		return
	}
	w.hand.stop()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSend)
	defer cancel()
	for more := true; more && w.nc.IsConnected(); { // the trainer need not wait until the worker is silent
		_, more, _ = w.request(last)
	}
}

// ask asks the trainer and follows its reply.
func (w *worker) ask(ctx context.Context) {
	r, more, err := w.request(ctx)
	if err != nil {
		return
	}
	if w.hand != nil && w.hand.id != r.ID {
		w.hand.stop()
		w.hand = nil
	}
	if w.hand == nil && r.ID != "" {
		w.begin(ctx, &r)
	}
	if more {
		signal(w.wake)
	}
}

// request sends a request, and reports whether there are more games to send.
func (w *worker) request(ctx context.Context) (r reply, more bool, err error) {
	q := request{Tiro: w.o.Version, Goroutines: w.o.Workers, Games: [][]byte{}, Held: []int{}}
	sent := 0
	if w.hand != nil {
		sent = w.hand.describe(&q, w.fault.text == "")
		q.Evaluations = int(w.fetcher.evaluations.Load())
		q.CPUSeconds = (w.cpu() - w.cpuBefore).Seconds()
	}
	data, err := json.Marshal(q)
	if err != nil {
		return r, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	m, err := w.nc.RequestWithContext(ctx, askPrefix+w.o.Name, data)
	if err == nil {
		err = decodeMessage(m.Data, &r)
	}
	if err == nil && r.Refused != "" {
		err = fmt.Errorf("it refuses this worker: %s", r.Refused)
	}
	if err == nil && w.hand != nil {
		more = w.hand.heed(&r, sent)
	}
	if w.fault.changes(err) && err != nil && w.nc.IsConnected() && !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, context.Canceled) {
		w.warn("the trainer does not answer; trying again", "reason", err)
	}
	return r, more, err
}

func (w *worker) cpu() time.Duration {
	if w.o.CPU == nil {
		return 0
	}
	return w.o.CPU()
}

// begin begins to play an announcement.
func (w *worker) begin(ctx context.Context, r *reply) {
	h := &hand{id: r.ID, wake: w.wake, ended: make(chan struct{}), playing: map[int]bool{}}
	ctx, h.cancel = context.WithCancel(ctx)
	w.hand = h
	w.cpuBefore = w.cpu()
	w.fetcher.begin()
	go func() {
		defer close(h.ended)
		if err := w.play(ctx, h, r.Announcement); err != nil && ctx.Err() == nil {
			w.warn("cannot play the announced games", "reason", err)
			h.refuse(err.Error())
		}
	}()
}

// play plays games of an announcement, until ctx ends.
func (w *worker) play(ctx context.Context, h *hand, data []byte) error {
	a, games, err := readAnnouncement(data, w.o.Version, w.o.Find)
	if err != nil {
		return err
	}
	if id := digestOf(data); id != h.id {
		return fmt.Errorf("the announcement is %s; the trainer calls it %.40q", id, h.id)
	}
	backend := w.o.Backend
	if backend == nil {
		if own, err := kernel.WithBits(a.Backend); err == nil {
			backend = own
		} else {
			backend = kernel.Best()
		}
	}
	atOnce, err := games.prepare(ctx, w.fetcher, backend, w.o.Workers)
	if err != nil {
		return err
	}
	h.deal(backend.Bits(), w.o.Workers, atOnce)
	signal(w.wake)
	w.info("playing "+games.String(), "game", a.Game, "goroutines", w.o.Workers, "backend", backend.Name())
	defer func() { w.info("played "+games.String(), "games", h.played) }()
	return games.play(ctx, h)
}

// logger passes log messages on, one at a time.
type logger struct {
	mu sync.Mutex
	to [2]func(text string, attrs ...any) // for information and warnings; may be nil
}

func (l *logger) info(text string, attrs ...any) { l.log(0, text, attrs) }
func (l *logger) warn(text string, attrs ...any) { l.log(1, text, attrs) }

func (l *logger) log(level int, text string, attrs []any) {
	if l.to[level] != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.to[level](text, attrs...)
	}
}

// lastError is the text of the last error, so that each is reported once.
type lastError struct{ text string }

// changes reports whether err differs from the last one.
func (e *lastError) changes(err error) bool {
	text := ""
	if err != nil {
		text = err.Error()
	}
	changed := text != e.text
	e.text = text
	return changed
}

// pause waits until d has passed, wake has a value, or ctx ends.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
	return ctx.Err()
}
