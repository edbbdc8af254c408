package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tiro/arena"
	"tiro/env"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/rundir"
	"tiro/train"
)

// Options configure a Trainer.
type Options struct {
	Listen      string // HOST:PORT of the embedded server; empty: an external server is used
	URL         string // of the external server or servers, separated by commas
	Credentials string // folder of NewCredentials, or the trainer's file in it; empty: none

	Workers int           // goroutines of this process that play; 0: it plays nothing itself
	Lease   time.Duration // silence after which others play a worker's games: 1 s to 1 h
	Twice   float64       // fraction of the games that two workers play, 0 to 1
	Version string        // of this program; workers must have the same

	Find    env.Lookup  // for example games.New
	Backend net.Backend // computes networks in this process; the kind of matches; nil: the best of this CPU

	Clock func() time.Time
	CPU   func() time.Duration // CPU time of this process; may be nil
	Log   *slog.Logger         // may be nil
}

// Defaults of Options.
const (
	DefaultLease = 30 * time.Second
	DefaultTwice = 0.02
)

// Validate reports every field that is out of range.
func (o Options) Validate() error {
	var f faults.List
	f.Check((o.Listen == "") != (o.URL == ""), "address", o.Listen+o.URL, "one to listen at, or one of a server")
	faults.Within(&f, "workers", o.Workers, 0, maxGoroutines)
	f.Check(o.Lease >= time.Second && o.Lease <= time.Hour, "lease", o.Lease, "1s to 1h")
	f.Check(o.Twice >= 0 && o.Twice <= 1, "fraction of games played twice", o.Twice, "0 to 1")
	f.Check(o.Clock != nil && o.Find != nil, "clock or games", nil, "functions")
	if o.Listen != "" {
		f.Add(checkListen(o.Listen, o.Credentials != ""))
	}
	return f.Err()
}

// Times and bounds of a trainer's connection.
const (
	maxPending = 8 << 20  // bytes of requests that wait, for each of readers
	maxWaiting = 16 << 10 // these requests
	readers    = 2        // goroutines that check games
)

// Trainer lets workers that come and go play games: games of a run, as its
// train.Selfplayer, or games of matches, as their arena.Gameplayer. Its methods must be
// called by one goroutine at a time.
type Trainer struct {
	o      Options
	log    *slog.Logger
	keys   *Credentials // nil: none
	trees  int64        // see WorkerOptions
	server *natsServer  // nil: an external one is used

	// Set by open.
	nc     *nats.Conn
	queue  *queue
	pull   func(k *task, n int) ([]queued, error) // of the queue
	cancel context.CancelCauseFunc
	wait   sync.WaitGroup
	failed chan error // why the worker of this process has ended

	mu      sync.Mutex
	current *task              // nil: none
	away    bool               // the last task was interrupted, and no other has begun
	fault   lastError          // of the queue
	members map[string]*member // by process
	ready   time.Time          // when games may be given out
	warned  map[string]bool    // by once
}

var (
	_ train.Selfplayer = (*Trainer)(nil)
	_ arena.Gameplayer = (*Trainer)(nil)
)

// New returns a Trainer. It starts nothing before the first task.
func New(o Options) (*Trainer, error) {
	t := newTrainer(o)
	err := o.Validate()
	if err == nil && o.Credentials != "" {
		t.keys, err = readCredentials(o.Credentials, true)
	}
	if err == nil && o.Listen != "" {
		t.keys = cmp.Or(t.keys, &Credentials{Secret: rand.Text()})
		t.server, err = newServer(o.Listen, t.keys)
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return t, nil
}

func newTrainer(o Options) *Trainer {
	return &Trainer{o: o, log: cmp.Or(o.Log, discard), failed: make(chan error, 1), members: map[string]*member{}, warned: map[string]bool{}}
}

// Bytes returns about how much memory the Trainer uses, most of it for the server.
func (t *Trainer) Bytes() int64 {
	if t.o.Listen == "" {
		return linkBytes
	}
	return linkBytes + serverBytes
}

// Close ends the connection and the embedded server. It must be called after Play and
// PlayGames have returned, and may be called again.
func (t *Trainer) Close() {
	if t.nc != nil {
		t.cancel(nil)
		t.wait.Wait()
		t.nc.Close()
	}
	if t.server != nil {
		t.server.stop()
	}
}

// announce returns the announcement of games, without the games.
func (t *Trainer) announce(game env.Game, backend string) announcement {
	return announcement{Tiro: t.o.Version, Game: game.Spec().Name, Rules: rulesDigest(game), Backend: backend}
}

// perform has the games of a task played, and returns the contribution of each worker.
func (t *Trainer) perform(ctx context.Context, k *task) ([]rundir.Contribution, error) {
	var secret [8]byte
	rand.Read(secret[:]) // never fails
	err := k.start(t.o.Clock(), binary.LittleEndian.Uint64(secret[:]), t.o.Twice)
	if err == nil {
		t.begin(k)
		err = t.open(ctx)
	}
	if err == nil {
		err = t.watch(ctx, k)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current, t.away = nil, ctx.Err() != nil
	k.end(nil)
	if err = cmp.Or(err, k.err); err != nil {
		err = fmt.Errorf("cluster: %w", err)
	}
	return k.players(t.members, t.o.Clock()), err
}

// begin makes a task the current one.
func (t *Trainer) begin(k *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current, t.away = k, false
	for process, m := range t.members {
		m.held, m.Games, m.Evaluations, m.CPUSeconds = map[int]bool{}, 0, 0, 0
		if m.silent {
			delete(t.members, process)
		}
	}
}

// open starts the server, the connection, and the worker of this process, the first time. It
// waits for an unreachable server.
func (t *Trainer) open(ctx context.Context) (err error) {
	if t.nc != nil {
		return nil
	}
	if t.server != nil && t.server.Server == nil {
		if err := t.server.start(); err != nil {
			return err
		}
		t.log.Info("waiting for workers", "at", t.server.at(), "credentials", t.o.Credentials != "")
	}
	c := client{url: t.o.URL, server: t.server, worker: rundir.Trainer, credentials: t.keys, log: t.log}
	nc, err := c.connect()
	if err != nil {
		return err
	}
	if err := t.serve(ctx, nc); err != nil {
		nc.Close()
		return err
	}
	t.nc = nc
	ctx, t.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if t.o.Workers > 0 {
		o := WorkerOptions{Name: rundir.Trainer, Workers: t.o.Workers, Memory: math.MaxInt64 / 2, trees: t.trees, failed: t.cancel, Backend: t.o.Backend, Version: t.o.Version, Find: t.o.Find, CPU: t.o.CPU}
		t.wait.Go(func() { t.failed <- o.play(ctx, nc) })
	}
	return nil
}

// serve begins to answer workers.
func (t *Trainer) serve(ctx context.Context, nc *nats.Conn) error {
	if err := claim(ctx, nc, t.server != nil); err != nil {
		return err
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(callTimeout))
	if err != nil {
		return err
	}
	t.queue = &queue{js: js, wait: t.o.Lease}
	t.pull = t.queue.pull
	for range readers {
		s, fault := nc.QueueSubscribe(askPrefix+"*", "trainer", t.ask)
		if fault == nil {
			fault = s.SetPendingLimits(maxWaiting, maxPending)
		}
		err = errors.Join(err, fault)
	}
	return err
}

// claim waits for the server, and returns an error if it has another trainer.
func claim(ctx context.Context, nc *nats.Conn, embedded bool) error {
	for !nc.IsConnected() {
		if nc.IsClosed() {
			return refusedBy(nc)
		}
		if err := pause(ctx, 20*time.Millisecond, nil); err != nil {
			return err
		}
	}
	if embedded {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := nc.RequestWithContext(ctx, askPrefix+rundir.Trainer, nil); err == nil {
		return errors.New("another training, match or rating uses this server; stop it first, or use another server")
	}
	return nil
}

// watch waits until a task is over.
func (t *Trainer) watch(ctx context.Context, k *task) error {
	ticker := time.NewTicker(min(time.Second, t.o.Lease/4))
	defer ticker.Stop()
	t.look(ctx, k)
	t.news()
	for {
		select {
		case <-k.ended:
			t.news()
			return nil
		case <-ctx.Done():
			return ctx.Err() // workers continue for a trainer that resumes the task
		case err := <-t.failed:
			return err
		case <-ticker.C:
			if t.nc.IsClosed() {
				return refusedBy(t.nc)
			}
			t.look(ctx, k)
		}
	}
}

// news makes workers ask.
func (t *Trainer) news() { _ = t.nc.Publish(newsSubject, nil) }

// look looks after the queue, the connections and silent workers, whose games JetStream
// delivers again.
func (t *Trainer) look(ctx context.Context, k *task) {
	if t.server != nil {
		t.server.limitConnections()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.noteSilence()
	err := t.queue.check(ctx, k)
	switch changed := t.fault.changes(err); {
	case !changed || errors.Is(err, context.Canceled):
	case err != nil:
		t.log.Warn("the server failed; trying again", "reason", err)
	default:
		t.log.Info("the server works again")
	}
}

// noteSilence marks the workers that have not been heard for a lease. Those that stopped in an
// orderly way hold no games.
func (t *Trainer) noteSilence() {
	now := t.o.Clock()
	for _, m := range t.members {
		silence := now.Sub(m.heard)
		if silence <= t.o.Lease || m.silent {
			continue
		}
		m.silent = true
		if len(m.held) == 0 {
			t.log.Info("a worker has left", "worker", m.Name)
			continue
		}
		clear(m.held)
		t.log.Warn("a worker is silent; others play its games", "worker", m.Name, "seconds", int(silence.Seconds()))
	}
}

// ask answers a request, whose subject ends with the name of a worker. It answers only to the
// inbox of that worker, and only if this trainer has not been interrupted. The process of a
// worker is its connection, by which the library distinguishes inboxes.
func (t *Trainer) ask(m *nats.Msg) {
	name, process := m.Subject[len(askPrefix):], m.Reply[:max(0, strings.LastIndexByte(m.Reply, '.'))]
	known := strings.HasPrefix(m.Reply, inboxPrefix+name+".") && (name == rundir.Trainer || CheckName(name) == nil)
	t.mu.Lock()
	away := t.away
	t.mu.Unlock()
	if !known || away {
		return
	}
	if len(m.Data) == 0 {
		_ = m.Respond(nil)
		return
	}
	var q request
	var r reply
	if err := decodeMessage(m.Data, &q); err != nil {
		t.mu.Lock()
		t.once("a request is invalid", name, err.Error())
		t.mu.Unlock()
		r.Refused = clip(err.Error())
	} else {
		r = t.answer(name, process, &q)
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has only numbers and texts
	}
	_ = m.Respond(text) // if it is lost, the worker asks again
}
