package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"tiro/configs"
	"tiro/env"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/rundir"
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
	Log         *slog.Logger         // may be nil

	// Of the trainer's own worker.
	trees  int64                   // bytes for search trees on a device; 0: half of Memory
	failed context.CancelCauseFunc // receives why it cannot play; nil: it waits for other games
}

// Validate reports every field that is out of range.
func (o WorkerOptions) Validate() error {
	var f faults.List
	f.Check(o.URL != "", "address of the server", o.URL, "one such as nats://127.0.0.1:4222")
	f.Add(CheckName(o.Name))
	faults.Within(&f, "workers", o.Workers, 1, maxGoroutines)
	f.Check(o.Memory >= programBytes, "memory", configs.Bytes(o.Memory), configs.Bytes(programBytes).String()+" or more")
	f.Check(o.Find != nil, "games", nil, "a function that finds them")
	return f.Err()
}

// worker is a running worker.
type worker struct {
	WorkerOptions
	nc    *nats.Conn
	wake  chan struct{} // the trainer should be asked; holds one
	fault lastError     // of the last request

	// Of the announcement.
	hand      *hand // nil: nothing is announced
	fetcher   *fetcher
	cpuBefore time.Duration
}

// Work plays for the training runs and matches that are announced at the server. It returns when
// ctx ends, after sending the finished games, or if the server refuses the credentials. An
// unreachable server or trainer does not end it.
func Work(ctx context.Context, o WorkerOptions) error {
	if o.Credentials != nil && o.Credentials.Worker != "" {
		o.Name = o.Credentials.Worker
	}
	err := o.Validate()
	if err == nil {
		err = o.connect(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("cluster: %w", err)
}

// connect connects to the server, and plays until ctx ends or the server refuses the credentials.
func (o WorkerOptions) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := client{url: o.URL, worker: o.Name, credentials: o.Credentials, log: cmp.Or(o.Log, discard)}
	nc, err := c.connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	nc.SetClosedHandler(func(nc *nats.Conn) { cancel(refusedBy(nc)) }) // also at the end
	return o.play(ctx, nc)
}

// play plays for the trainer at a connection until ctx ends.
func (o WorkerOptions) play(ctx context.Context, nc *nats.Conn) error {
	if net.Batch(o.Backend) > 0 {
		o.Workers = min(o.Workers*selfplay.DeviceWorkers, maxGoroutines)
	}
	if o.CPU == nil {
		o.CPU = func() time.Duration { return 0 }
	}
	o.Log = cmp.Or(o.Log, discard)
	w := &worker{WorkerOptions: o, nc: nc, wake: make(chan struct{}, 1)}
	if _, err := nc.Subscribe(newsSubject, func(*nats.Msg) { signal(w.wake) }); err != nil {
		return err
	}
	w.follow(ctx)
	return context.Cause(ctx)
}

// Times of a worker.
const (
	askEvery = 250 * time.Millisecond
	askLeast = 10 * time.Millisecond // between two requests
	lastSend = time.Second           // for finished games, when the worker ends
)

// follow plays the announced games, until ctx ends.
func (w *worker) follow(ctx context.Context) {
	for ctx.Err() == nil {
		r, more, err := w.request(ctx)
		if err == nil && w.hand != nil && w.hand.id != r.ID {
			w.hand.stop()
			w.hand = nil
		}
		if err == nil && w.hand == nil && r.ID != "" {
			w.begin(ctx, &r)
		}
		if more {
			signal(w.wake)
		}
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

// request sends a request and heeds the reply. It reports whether there are more games to send.
func (w *worker) request(ctx context.Context) (r reply, more bool, err error) {
	var q request
	var sent []int
	if w.hand != nil {
		sent = w.hand.describe(&q)
		q.Evaluations = int(w.fetcher.evaluations.Load())
		q.CPUSeconds = (w.CPU() - w.cpuBefore).Seconds()
	}
	if r, err = w.send(ctx, &q); err == nil && w.hand != nil {
		more = w.hand.heed(&r, sent)
	}
	if w.fault.changes(err) && err != nil && w.nc.IsConnected() && !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, context.Canceled) {
		w.Log.Warn("no games from the trainer; trying again", "reason", err)
	}
	return r, more, err
}

// send sends a request and returns the reply.
func (w *worker) send(ctx context.Context, q *request) (r reply, err error) {
	q.Tiro, q.Goroutines = w.Version, w.Workers
	data, err := json.Marshal(q)
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	m, err := w.nc.RequestWithContext(ctx, askPrefix+w.Name, data)
	if err == nil {
		err = decodeMessage(m.Data, &r)
	}
	if err == nil && r.Refused != "" {
		err = fmt.Errorf("it refuses this worker: %s", r.Refused)
	}
	return r, err
}

// begin begins to play an announcement.
func (w *worker) begin(ctx context.Context, r *reply) {
	h := &hand{id: r.ID, wake: w.wake, ended: make(chan struct{}), playing: map[int]bool{}, unsent: map[int][]byte{}}
	ctx, h.cancel = context.WithCancel(ctx)
	w.hand, w.cpuBefore = h, w.CPU()
	w.fetcher = &fetcher{id: h.id, send: w.send, memory: w.Memory, trees: cmp.Or(w.trees, w.Memory/2), log: w.Log, networks: map[string]*network{}}
	go func() {
		defer close(h.ended)
		if err := w.perform(ctx, h, r.Announcement); err != nil && ctx.Err() == nil {
			w.Log.Warn("cannot play the announced games", "reason", err)
			h.refuse(err.Error())
			if w.failed != nil {
				w.failed(err)
			}
		}
	}()
}

// perform plays games of an announcement, until ctx ends.
func (w *worker) perform(ctx context.Context, h *hand, data []byte) error {
	a, games, err := readAnnouncement(data, w.Version, w.Find)
	if err != nil {
		return err
	}
	if id := rundir.Checksum(data); id != h.id {
		return fmt.Errorf("the announcement is %s; the trainer calls it %.40q", id, h.id)
	}
	backend := w.Backend
	if backend == nil {
		if own, err := kernel.WithBits(a.Backend); err == nil {
			backend = own
		} else {
			backend = kernel.Best()
		}
	}
	n, err := games.prepare(ctx, w.fetcher, backend, w.Workers)
	atOnce := 0
	if err == nil {
		atOnce, err = fitting(w.Memory, w.fetcher.bytes, w.Workers, n)
	}
	if err != nil {
		return err
	}
	h.deal(backend.Bits(), w.Workers, atOnce, games.size())
	signal(w.wake)
	w.Log.Info("playing "+games.String(), "game", a.Game, "goroutines", w.Workers, "backend", backend.Name())
	return games.play(ctx, h)
}

// discard drops its messages.
var discard = slog.New(slog.DiscardHandler)

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
