package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/net/kernel"
)

// WorkerOptions say how a worker plays.
type WorkerOptions struct {
	URL         string               // of the server or servers, separated by commas
	Credentials *Credentials         // nil: none
	Name        string               // of the worker; that of its credentials if it has some
	Session     string               // tells processes of one name apart
	Workers     int                  // goroutines that play
	Backend     string               // that computes networks; empty: the run's, if this CPU can run it, else the best one
	Version     string               // of this program
	Find        env.Lookup           // such as games.New
	Clock       func() time.Time     // by which the server's certificate is valid or not
	CPU         func() time.Duration // CPU time that this process has taken; may be nil

	// Info and Warn get messages for people. They may be nil, and are called by one
	// goroutine at a time.
	Info, Warn func(text string, attrs ...any)
}

// Validate reports every field that is out of range.
func (o WorkerOptions) Validate() error {
	var f faults.List
	f.Check(o.URL != "", "address of the server", o.URL, "one such as nats://127.0.0.1:4222")
	f.Add(CheckName(o.Name))
	f.Check(o.Workers >= 1 && o.Workers <= maxWorkers, "workers", o.Workers, fmt.Sprintf("1 to %d", maxWorkers))
	f.Check(o.Find != nil, "games", nil, "a function that finds them")
	f.Check(o.Clock != nil, "clock", nil, "a function")
	return f.Err()
}

// worker is a worker that is connected, or tries to be.
type worker struct {
	o          WorkerOptions
	nc         *nats.Conn
	js         jetstream.JetStream
	poke       chan struct{} // something else may be announced; holds one
	counted    counter
	fetcher    *fetcher
	deliveries int // that were sent, by one goroutine at a time
	fault      lastError
	unsent     lastError // why the last game could not be sent
	log        sync.Mutex
}

// Work plays for whatever training or match is announced at the server, until ctx ends,
// which delivers what has finished, the trainer drops this worker, or the server refuses its
// credentials. It does not end because a server or a trainer is away.
func Work(ctx context.Context, o WorkerOptions) error {
	if o.Credentials != nil {
		o.Name = o.Credentials.Worker
	}
	if err := o.Validate(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	w := &worker{o: o, poke: make(chan struct{}, 1)}
	stopped := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var err error
	w.nc, err = w.client().connect()
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	defer w.nc.Close()
	w.nc.SetClosedHandler(func(nc *nats.Conn) { cancel(refusedBy(nc)) }) // also at the end
	if w.js, err = jetstream.New(w.nc, jetstream.WithDefaultTimeout(callTimeout)); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	announced := make(chan []byte)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		w.watch(ctx, announced)
	}()
	err = w.follow(ctx, announced)
	if fault := context.Cause(ctx); stopped.Err() == nil && fault != nil {
		err = fault
	}
	cancel(nil)
	<-watched
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("cluster: %w", err)
	}
	return err
}

// client returns how the worker connects to its server.
func (w *worker) client() *client {
	return &client{
		url: w.o.URL, name: "tiro worker " + w.o.Name, inbox: inboxPrefix + w.o.Name,
		credentials: w.o.Credentials, clock: w.o.Clock, lost: w.lost, connected: w.connected,
	}
}

func (w *worker) lost(err error) {
	if w.fault.text == "" && w.fault.changes(err) {
		w.warn("no connection to the server; trying again", "server", w.o.URL, "reason", err)
	}
}

func (w *worker) connected() {
	w.fault.changes(nil)
	w.info("connected", "server", w.o.URL)
	signal(w.poke)
}

var (
	// errDropped says that the trainer will not take games of this worker.
	errDropped = errors.New("the trainer refuses this worker")
	// errReplaced says that something else has been announced.
	errReplaced = errors.New("something else is announced")
)

// follow plays what is announced. A new announcement ends the games of the one before.
func (w *worker) follow(ctx context.Context, announced <-chan []byte) error {
	var data []byte
	for {
		if data == nil {
			select {
			case data = <-announced:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		playing, over := context.WithCancelCause(ctx)
		ended := make(chan error, 1)
		now := data
		go func() { ended <- w.playAnnounced(playing, now) }()
		select {
		case data = <-announced:
			over(errReplaced)
			if err := <-ended; errors.Is(err, errDropped) {
				return err
			}
		case err := <-ended:
			data = nil
			if errors.Is(err, errDropped) || ctx.Err() != nil {
				over(nil)
				return errors.Join(ctx.Err(), dropped(err))
			}
			if err != nil {
				w.warn("cannot play what is announced", "reason", err)
			}
		}
		over(nil)
	}
}

// dropped returns err if it says that the trainer refuses this worker.
func dropped(err error) error {
	if errors.Is(err, errDropped) {
		return err
	}
	return nil
}

// playAnnounced plays the games of an announcement until they are over.
func (w *worker) playAnnounced(ctx context.Context, data []byte) error {
	o, err := parseAnnouncement(data, w.o.Version, w.o.Find)
	if err != nil {
		w.refuse(ctx, o.id, err)
		return err
	}
	a := o.common()
	backend, err := w.backend(a.Backend)
	if err != nil {
		return err
	}
	if w.fetcher == nil {
		w.fetcher = &fetcher{js: w.js, counted: &w.counted, failed: w.lostWeights, got: w.gotNetwork}
	}
	if err := o.prepare(ctx, w.fetcher, backend); err != nil {
		return err
	}
	w.info("playing", append([]any{"game", a.Game}, append(o.attrs(), "goroutines", w.o.Workers, "backend", backend.Name())...)...)
	games, began := 0, w.counted.evaluations()
	for err = errPaused; errors.Is(err, errPaused); {
		p := player{
			source: &remote{w, o.id}, id: o.id, lease: time.Duration(a.LeaseMilli) * time.Millisecond, workers: w.o.Workers,
			fill: func(q *request) { w.describe(q, backend.Name()) },
		}
		err = p.play(ctx, o)
		games += p.games
		if p.games > 0 && (errors.Is(err, errPaused) || ctx.Err() != nil) {
			w.info("played", append(o.attrs(), "games", games, "evaluations", w.counted.evaluations()-began)...)
			games, began = 0, w.counted.evaluations()
		}
	}
	return err
}

func (w *worker) gotNetwork(sum string) { w.info("network fetched", "network", sum) }

func (w *worker) lostWeights(err error) {
	w.warn("cannot fetch what is to be played; trying again", "reason", err)
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

// describe sets what a request says of this worker.
func (w *worker) describe(q *request, backend string) {
	q.Tiro, q.Session, q.Backend, q.Evaluations = w.o.Version, w.o.Session, backend, w.counted.evaluations()
	if w.o.CPU != nil {
		q.CPUSeconds = w.o.CPU().Seconds()
	}
}

// refuse tells the trainer why this worker does not play an announcement.
func (w *worker) refuse(ctx context.Context, id string, why error) {
	q := request{ID: id, Held: []int{}, Sent: []int{}, Workers: w.o.Workers, Refused: why.Error()}
	w.describe(&q, w.o.Backend)
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, _ = w.request(ctx, &q) // it is for people, and said here too
}

// request asks the trainer.
func (w *worker) request(ctx context.Context, q *request) (r reply, err error) {
	data, err := json.Marshal(q)
	if err != nil {
		return r, err
	}
	m, err := w.nc.RequestWithContext(ctx, leasePrefix+w.o.Name, data)
	if err != nil {
		return r, err
	}
	if err := decodeMessage(m.Data, maxRequest, &r); err != nil {
		return r, err
	}
	if r.Refused != "" {
		return r, fmt.Errorf("%w: %s", errDropped, r.Refused)
	}
	return r, nil
}

func (w *worker) info(text string, attrs ...any) { say(&w.log, w.o.Info, text, attrs) }
func (w *worker) warn(text string, attrs ...any) { say(&w.log, w.o.Warn, text, attrs) }

// say passes a message on to a function that may be nil and is called by one goroutine at
// a time.
func say(one *sync.Mutex, to func(string, ...any), text string, attrs []any) {
	if to == nil {
		return
	}
	one.Lock()
	defer one.Unlock()
	to(text, attrs...)
}
