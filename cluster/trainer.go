package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tiro/arena"
	"tiro/env"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/rundir"
	"tiro/train"
)

// Options configure a Trainer.
type Options struct {
	Listen   string // HOST:PORT of the embedded server; empty: an external server is used
	URL      string // of the external server or servers, separated by commas
	Store    string // folder of the embedded server, whose files may be deleted; empty: a temporary one
	Replicas int    // of the queue in an external cluster of servers; 0: 1

	Credentials string // folder of NewCredentials, or the trainer's file in it; empty: none

	Workers int           // goroutines of this process that play; 0: it plays nothing itself
	Lease   time.Duration // silence after which others play a worker's games: 1 s to 1 h
	Gather  time.Duration // for which the first games wait for more workers after one has joined
	Twice   float64       // fraction of the games that two workers play, 0 to 1
	Version string        // of this program; workers must have the same

	Find    env.Lookup  // for example games.New
	Backend net.Backend // computes networks in this process; the kind of matches; nil: the best of this CPU

	Clock func() time.Time
	CPU   func() time.Duration // CPU time of this process; may be nil

	// Info and Warn receive log messages, from one goroutine at a time. They may be nil.
	Info, Warn func(text string, attrs ...any)
}

// Defaults of Options.
const (
	DefaultLease  = 30 * time.Second
	DefaultGather = 1500 * time.Millisecond
	DefaultTwice  = 0.02
)

// Validate reports every field that is out of range.
func (o Options) Validate() error {
	var f faults.List
	f.Check((o.Listen == "") != (o.URL == ""), "address", o.Listen+o.URL, "one to listen at, or one of a server")
	faults.Within(&f, "workers", o.Workers, 0, maxGoroutines)
	f.Check(o.Lease >= time.Second && o.Lease <= time.Hour, "lease", o.Lease, "1s to 1h")
	f.Check(o.Twice >= 0 && o.Twice <= 1, "fraction of games played twice", o.Twice, "0 to 1")
	faults.Within(&f, "replicas", o.Replicas, 0, 5)
	f.Check(o.Clock != nil && o.Find != nil, "clock or games", nil, "functions")
	if o.Listen != "" {
		f.Add(checkListen(o.Listen, o.Credentials != ""))
	}
	return f.Err()
}

// trainerName is the name of this process as a worker. No other worker can have it.
const trainerName = "(trainer)"

// Trainer has games played by workers that come and go: games of a run, as its
// train.Selfplayer, or games of matches, as their arena.Gameplayer. Its methods must be
// called by one goroutine at a time.
type Trainer struct {
	logger
	o      Options
	keys   *Credentials // nil: none
	server *natsServer  // nil: an external one is used
	secret uint64       // selects the games that are played twice

	// Set by open.
	nc     *nats.Conn
	cancel context.CancelFunc
	wait   sync.WaitGroup
	failed chan error // why it cannot continue

	mu           sync.Mutex
	current      *task // nil: none
	away         bool  // the last task was interrupted, and no other has begun
	queue        *queue
	pull         func(k *task, n int) ([]queued, error) // of the queue; nil: there is none yet
	fault        lastError                              // of the queue
	members      map[string]*member                     // by process
	first, ready time.Time                              // when the first member joined, and when games may be given out
	warned       map[string]bool                        // by once
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
		t.keys, err = readTrainer(o.Credentials)
	}
	if err == nil && o.Listen != "" {
		t.server, err = newServer(&o, t.keys)
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return t, nil
}

func newTrainer(o Options) *Trainer {
	var secret [8]byte
	rand.Read(secret[:]) // never fails
	return &Trainer{
		o: o, logger: logger{to: [2]func(string, ...any){o.Info, o.Warn}}, secret: binary.LittleEndian.Uint64(secret[:]),
		failed: make(chan error, 2), members: map[string]*member{}, warned: map[string]bool{},
	}
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
	if t.cancel != nil {
		t.cancel()
		t.wait.Wait()
		t.nc.Close()
	}
	if t.server != nil {
		t.server.stop()
	}
}

// perform has the games of an order played, and returns the contribution of each worker.
func (t *Trainer) perform(ctx context.Context, o *order) ([]rundir.Contribution, error) {
	k, err := newTask(o, t.o.Clock(), t.secret, t.o.Twice)
	if err != nil {
		return nil, err
	}
	t.begin(k)
	if err = t.open(ctx); err == nil {
		err = t.watch(ctx, k)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current, t.away = nil, ctx.Err() != nil
	k.end(nil)
	return k.players(t.members, t.o.Clock()), cmp.Or(err, k.err)
}

// begin makes a task the current one.
func (t *Trainer) begin(k *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current, t.away = k, false
	for process, m := range t.members {
		m.held, m.evaluations, m.cpu = map[int]bool{}, 0, 0
		if m.silent {
			delete(t.members, process)
		}
	}
}

// watch waits until a task is over.
func (t *Trainer) watch(ctx context.Context, k *task) error {
	ticker := time.NewTicker(min(time.Second, t.o.Lease/4))
	defer ticker.Stop()
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
			t.watchSilence()
		}
	}
}
