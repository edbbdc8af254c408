package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/net/kernel"
)

// WorkerOptions say how a worker plays.
type WorkerOptions struct {
	URL         string               // of the server or servers, separated by commas
	Credentials *Credentials         // nil: none
	Name        string               // of the worker; that of its credentials if it has some
	Workers     int                  // goroutines that play
	Memory      int64                // bytes that the process may take
	Backend     string               // that computes networks; empty: the run's, if this CPU can run it, else the best one
	Version     string               // of this program
	Find        env.Lookup           // such as games.New
	CPU         func() time.Duration // CPU time that this process has taken; may be nil

	// Info and Warn get messages for people. They may be nil, and are called by one
	// goroutine at a time.
	Info, Warn func(text string, attrs ...any)

	server *natsServer // in this process; nil: it is at the URL
}

// Validate reports every field that is out of range.
func (o WorkerOptions) Validate() error {
	var f faults.List
	f.Check(o.URL != "" || o.server != nil, "address of the server", o.URL, "one such as nats://127.0.0.1:4222")
	if o.Name != trainerName {
		f.Add(CheckName(o.Name))
	}
	f.Check(o.Workers >= 1 && o.Workers <= maxGoroutines, "workers", o.Workers, fmt.Sprintf("1 to %d", maxGoroutines))
	f.Check(o.Memory >= programBytes, "memory", o.Memory, fmt.Sprintf("%d bytes or more", programBytes))
	f.Check(o.Find != nil, "games", nil, "a function that finds them")
	return f.Err()
}

// worker is a worker that is connected, or tries to be.
type worker struct {
	o       WorkerOptions
	nc      *nats.Conn
	wake    chan struct{} // the trainer should be asked; holds one
	news    chan struct{} // likewise, at once
	counted counter
	fetcher *fetcher
	fault   lastError
	asked   lastError // why the trainer could not be asked
	log     sync.Mutex

	now *turn // nil: nothing is played
}

// turn is what a worker plays of one announcement.
type turn struct {
	id     string
	cancel context.CancelCauseFunc
	ended  chan struct{}

	mu      sync.Mutex
	hand    *hand  // nil: it is not ready
	backend string // likewise empty
	refused string // why it is not played
}

// Work plays for whatever training or match is announced at the server, until ctx ends,
// which delivers what has finished, or the server refuses its credentials. It does not end
// because a server or a trainer is away.
func Work(ctx context.Context, o WorkerOptions) error {
	if o.Credentials != nil && o.Credentials.Worker != "" {
		o.Name = o.Credentials.Worker
	}
	if err := o.Validate(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	w := &worker{o: o, wake: make(chan struct{}, 1), news: make(chan struct{}, 1)}
	w.fetcher = &fetcher{
		piece: w.piece, memory: o.Memory, counted: &w.counted,
		failed: func(err error) { w.warn("cannot fetch what is to be played; trying again", "reason", err) },
		got:    func(sum string) { w.info("network fetched", "network", sum) },
	}
	lasting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := client{
		url: o.URL, server: o.server, name: "tiro worker " + o.Name, inbox: inboxPrefix + o.Name,
		credentials: o.Credentials, lost: w.lost, connected: w.connected,
	}
	var err error
	if w.nc, err = c.connect(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	defer w.nc.Close()
	w.nc.SetClosedHandler(func(nc *nats.Conn) { cancel(refusedBy(nc)) }) // also at the end
	if _, err := w.nc.Subscribe(newsSubject, func(*nats.Msg) { signal(w.news) }); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	w.follow(lasting)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("cluster: %w", context.Cause(lasting))
}

func (w *worker) lost(err error) {
	if w.fault.text == "" && w.fault.changes(err) {
		w.warn("no connection to the server; trying again", "server", shown(w.o.URL), "reason", err)
	}
}

func (w *worker) connected() {
	w.fault.changes(nil)
	w.info("connected", "server", shown(w.o.URL))
	signal(w.news)
}

// Times of a worker.
const (
	askTimeout = 3 * time.Second
	askAgain   = time.Second           // after an error
	askLeast   = 10 * time.Millisecond // between two requests
	askMost    = 5 * time.Second
)

// follow plays what is announced, until ctx ends.
func (w *worker) follow(ctx context.Context) {
	for ctx.Err() == nil {
		every := askAgain
		r, err := w.ask(ctx)
		if ctx.Err() != nil {
			break
		}
		if w.asked.changes(err) && err != nil && w.nc.IsConnected() && !errors.Is(err, nats.ErrNoResponders) {
			w.warn("the trainer does not answer; trying again", "reason", err)
		}
		if err == nil {
			w.heed(ctx, &r)
			every = max(askLeast, min(time.Duration(r.EveryMilli)*time.Millisecond, askMost))
		}
		if pause(ctx, askLeast) == nil {
			_ = rest(ctx, w.wake, w.news, every-askLeast)
		}
	}
	if w.now == nil {
		return
	}
	w.now.cancel(context.Canceled)
	<-w.now.ended
	if w.now.hand != nil && w.nc.IsConnected() { // others need not wait until the worker is silent
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSend/4)
		defer cancel()
		w.now.hand.playing = map[int]bool{}
		_, _ = w.ask(last)
	}
}

// rest waits, unless something happens.
func rest(ctx context.Context, wake, news <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-news:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// ask tells the trainer what this worker has, and asks for more games.
func (w *worker) ask(ctx context.Context) (r reply, err error) {
	q := request{Tiro: w.o.Version, Backend: w.o.Backend, Goroutines: w.o.Workers, Held: []int{}, Evaluations: w.counted.evaluations()}
	if w.o.CPU != nil {
		q.CPUSeconds = w.o.CPU().Seconds()
	}
	if t := w.now; t != nil {
		t.mu.Lock()
		q.ID, q.Refused = t.id, t.refused
		if t.hand != nil {
			q.Backend = t.backend
			t.hand.describe(&q)
		}
		t.mu.Unlock()
	}
	data, err := json.Marshal(q)
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	m, err := w.nc.RequestWithContext(ctx, askPrefix+w.o.Name, data)
	if err != nil {
		return r, err
	}
	if err := decodeMessage(m.Data, maxAnswer, &r); err != nil {
		return r, err
	}
	if r.Refused != "" {
		return r, fmt.Errorf("it refuses this worker: %s", r.Refused)
	}
	return r, nil
}

// heed does what a reply says.
func (w *worker) heed(ctx context.Context, r *reply) {
	if w.now != nil && w.now.id != r.ID {
		w.now.cancel(errReplaced)
		<-w.now.ended
		w.now = nil
	}
	if r.ID == "" {
		return
	}
	if w.now == nil {
		own, cancel := context.WithCancelCause(ctx)
		t := &turn{id: r.ID, cancel: cancel, ended: make(chan struct{})}
		w.now = t
		go func() {
			defer close(t.ended)
			if err := w.play(own, t, r.Announcement); err != nil && own.Err() == nil {
				w.warn("cannot play what is announced", "reason", err)
				t.mu.Lock()
				t.refused, t.hand = clip(err.Error()), nil
				t.mu.Unlock()
				signal(w.wake)
			}
		}()
		return
	}
	w.now.mu.Lock()
	defer w.now.mu.Unlock()
	if w.now.hand != nil {
		w.now.hand.heed(r)
	}
}

// play plays games of an announcement, until ctx ends.
func (w *worker) play(ctx context.Context, t *turn, announcement []byte) error {
	o, err := parseAnnouncement(announcement, w.o.Version, w.o.Find)
	if err != nil {
		return err
	}
	if id := digestOf(announcement); id != t.id {
		return fmt.Errorf("%w: the announcement is %s; the trainer calls it %.40q", errRefused, id, t.id)
	}
	a := o.common()
	backend, err := w.backend(a.Backend)
	if err != nil {
		return err
	}
	atOnce, err := o.prepare(ctx, w.fetcher, backend, w.o.Workers)
	if err != nil {
		return err
	}
	h := newHand(w.o.Workers, atOnce, w.wake)
	t.mu.Lock()
	t.hand, t.backend = h, backend.Name()
	t.mu.Unlock()
	signal(w.news)
	w.info("playing "+o.String(), "game", a.Game, "goroutines", w.o.Workers, "backend", backend.Name())
	began := w.counted.evaluations()
	err = h.play(ctx, o, func(ctx context.Context, g game) error { return w.deliver(ctx, t.id, g) })
	w.info("played "+o.String(), "games", h.played, "evaluations", w.counted.evaluations()-began)
	return err
}

// backend returns what computes networks for a run on the backend of that name.
func (w *worker) backend(run string) (kernel.Backend, error) {
	if w.o.Backend != "" {
		return kernel.Named(w.o.Backend)
	}
	if b, err := kernel.Named(run); err == nil {
		return b, nil
	}
	return kernel.Best(), nil
}

// deliver returns nil once a game is where it outlives this process, or is not wanted.
func (w *worker) deliver(ctx context.Context, id string, g game) error {
	if len(g.message) > maxMessage {
		w.warn("a game is too large to be sent", "game", g.number, "bytes", len(g.message), "most", maxMessage)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	m, err := w.nc.RequestWithContext(ctx, gamePrefix+w.o.Name+"."+id+"."+strconv.Itoa(g.number), g.message)
	switch {
	case err != nil:
		return err
	case string(m.Data) == answerLater:
		return errOver
	case string(m.Data) == answerRefused:
		w.warn("the trainer refuses a game", "game", g.number)
	}
	return nil
}

// piece returns a piece of a network.
func (w *worker) piece(ctx context.Context, name string, offset int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	m, err := w.nc.RequestWithContext(ctx, networkPrefix+w.o.Name+"."+name+"."+strconv.Itoa(offset), nil)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

func (w *worker) info(text string, attrs ...any) { say(&w.log, w.o.Info, text, attrs) }
func (w *worker) warn(text string, attrs ...any) { say(&w.log, w.o.Warn, text, attrs) }
