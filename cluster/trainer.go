package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"tiro/arena"
	"tiro/env"
	"tiro/internal/faults"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// Options say how a trainer has its games played.
type Options struct {
	Listen   string // HOST:PORT to serve at; empty: an external server is used
	URL      string // of the external server or servers, separated by commas
	Store    string // folder for the embedded server, which keeps nothing there that lasts; empty: a temporary one
	Replicas int    // of what an external cluster keeps; 0: 1

	Credentials string // folder made by NewCredentials, or the trainer's file in it; empty: none

	Workers int           // goroutines of this process that play, too; 0: it plays nothing itself
	Lease   time.Duration // how long a worker may be silent before others play its games: 1 s to 1 h
	Gather  time.Duration // how long after a worker has come the first games wait for others
	Twice   float64       // share of the games that two workers play, 0 to 1
	Secret  uint64        // chooses which games; workers do not know it
	Version string        // of this program; workers must have the same

	Find    env.Lookup // such as games.New
	Backend string     // that computes the networks of matches

	Clock func() time.Time     // for leases
	CPU   func() time.Duration // CPU time that this process has taken; may be nil

	// Info and Warn get messages for people. They are called by one goroutine at a time, and
	// may be nil.
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
	f.Check((o.Listen == "") != (o.URL == ""), "address", o.Listen+o.URL, "one to listen at, or that of a server")
	f.Check(o.Workers >= 0 && o.Workers <= maxGoroutines, "workers", o.Workers, fmt.Sprintf("0 to %d", maxGoroutines))
	f.Check(o.Lease >= time.Second && o.Lease <= time.Hour, "lease", o.Lease, "1s to 1h")
	f.Check(o.Twice >= 0 && o.Twice <= 1, "share of games played twice", o.Twice, "0 to 1")
	f.Check(o.Replicas >= 0 && o.Replicas <= 5, "replicas", o.Replicas, "0 to 5")
	f.Check(o.Clock != nil && o.Find != nil, "clock or games", nil, "functions")
	if o.Listen != "" {
		f.Add(checkListen(o.Listen, o.Credentials != ""))
	}
	return f.Err()
}

// Trainer has games played by workers that come and go: those of a run, as its
// train.Selfplayer, or those of matches, as their arena.Gameplayer. It does one thing at a
// time: its methods are called by one goroutine at a time.
type Trainer struct {
	o    Options
	keys *keys // nil: none
	log  sync.Mutex
	link *link                                                       // nil before the first task
	pull func(ctx context.Context, k *task, n int) ([]queued, error) // takes up to n games from the queue

	granting sync.Mutex // held while games are given out; taken before mu

	mu      sync.Mutex
	current *task
	members map[string]*member // by process
	begun   bool               // games have been given out
	gather  [2]time.Time       // the first and the last member came
	told    map[string]bool    // what was said once
	away    bool               // the last task was interrupted, and no other has begun
}

var (
	_ train.Selfplayer = (*Trainer)(nil)
	_ arena.Gameplayer = (*Trainer)(nil)
)

// New returns a Trainer. Nothing is begun before the first generation.
func New(o Options) (*Trainer, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	t := &Trainer{o: o, members: map[string]*member{}, told: map[string]bool{}}
	if o.Credentials != "" {
		var err error
		if t.keys, err = readTrainerKeys(o.Credentials, o.Listen != ""); err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
	}
	return t, nil
}

// Bytes returns how much memory the Trainer takes, about: nearly all of it is the
// server's, if that is in this process.
func (t *Trainer) Bytes() int64 {
	if t.o.Listen == "" {
		return linkBytes
	}
	return linkBytes + serverBytes
}

// Close ends the connection and the embedded server. It must be called once Play and
// PlayGames have returned, and may be called again.
func (t *Trainer) Close() {
	if t.link != nil {
		t.link.close()
	}
}

// Play has the games of a generation played, and returns them by their numbers. It waits
// for a server that is away and for workers, unless this process plays itself
// (Options.Workers). Its error is that of ctx, or says what went wrong. It must not be
// called while Play or PlayGames is at work.
func (t *Trainer) Play(ctx context.Context, games train.Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Player, error) {
	g, err := newGeneration(&games, t.o.Version)
	if err != nil {
		return nil, selfplay.Stats{}, nil, fmt.Errorf("cluster: %w", err)
	}
	players, err := t.perform(ctx, g)
	if err != nil {
		err = fmt.Errorf("cluster: %s: %w", g, err)
	}
	episodes, stats := g.result(players)
	return episodes, stats, players, err
}

// perform has the games of a work played, and returns what each player did.
func (t *Trainer) perform(ctx context.Context, w work) ([]rundir.Player, error) {
	k, err := newTask(w, &t.mu, t.o.Clock())
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.current, t.away = k, false
	for _, m := range t.members {
		m.held, m.hungry, m.spent = map[int]bool{}, time.Time{}, 0
	}
	t.mu.Unlock()
	if err = t.open(ctx); err == nil {
		if err = t.watch(ctx, k); err == nil {
			t.settle(ctx)
		}
	}
	t.leave(k, ctx.Err() != nil)
	return k.sorted(), cmp.Or(err, k.err)
}

// watch waits until a task is over, and looks after silent workers.
func (t *Trainer) watch(ctx context.Context, k *task) error {
	ticker := time.NewTicker(min(time.Second, t.o.Lease/4))
	defer ticker.Stop()
	for {
		select {
		case <-k.ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-t.link.failed:
			return t.link.err
		case <-ticker.C:
			t.tick(k)
		}
	}
}

// tick takes the games of silent workers from them.
func (t *Trainer) tick(k *task) {
	const forgotten = 20 // times of a lease
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.o.Clock()
	for _, process := range slices.Sorted(maps.Keys(t.members)) {
		m := t.members[process]
		silent := now.Sub(m.heard)
		if silent > t.o.Lease && !m.silent {
			m.silent = true
			t.warn("a worker is silent; others play its games", "worker", m.name, "seconds", int(silent.Seconds()))
		}
		for n := range m.held {
			if m.silent {
				k.release(n, m)
			}
		}
		if silent > forgotten*t.o.Lease {
			delete(t.members, process)
		}
	}
}

// settle tells workers that a task is over, and gives those that still play its games a
// moment to say what they have done, which counts for it.
func (t *Trainer) settle(ctx context.Context) {
	const most = 400 * time.Millisecond
	t.link.news()
	for deadline := time.Now().Add(most); time.Now().Before(deadline) && pause(ctx, time.Millisecond) == nil; {
		t.mu.Lock()
		playing := false
		for _, m := range t.members {
			playing = playing || !m.silent && len(m.held) > 0
		}
		t.mu.Unlock()
		if !playing {
			return
		}
	}
}

// leave ends the performance of a task. If it was interrupted, workers are told nothing, so
// that they play on for whoever resumes it.
func (t *Trainer) leave(k *task, interrupted bool) {
	t.mu.Lock()
	t.current, t.away = nil, interrupted
	k.over = true
	now := t.o.Clock()
	for _, m := range t.members {
		if p := k.players[m.name]; p != nil {
			p.Silent = max(p.Silent, now.Sub(m.heard).Seconds(), 0)
		}
	}
	t.mu.Unlock()
	k.taking.Lock() // until a game that is being kept is there
	defer k.taking.Unlock()
}

// take takes a game that was checked, and returns why it is not in the trainer's files.
func (t *Trainer) take(k *task, name, backend string, g received) error {
	k.taking.Lock()
	defer k.taking.Unlock()
	t.mu.Lock()
	if k.over {
		t.mu.Unlock()
		return errOver
	}
	first, err := k.arrived(g.number, name, backend, g.digest, t.o.Clock())
	if err != nil {
		k.end(err)
	}
	t.mu.Unlock()
	if !first {
		return err
	}
	unwanted, err := g.keep() // which may take long
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		k.end(err)
		return err
	}
	k.player(name).Games++
	for _, n := range unwanted {
		if !k.there[n] {
			k.done(n)
		}
	}
	if k.left == 0 {
		k.end(nil)
	}
	return nil
}

// errOver says that no more games of a task are taken.
var errOver = errors.New("it is over")

// once warns of something about a worker unless it was said before.
func (t *Trainer) once(text, name, why string) {
	const most = 10000 // that are remembered
	why = clip(why)
	if key := text + "\n" + name + "\n" + why; !t.told[key] && len(t.told) < most {
		t.told[key] = true
		t.warn(text, "worker", name, "reason", why)
	}
}

func (t *Trainer) info(text string, attrs ...any) { say(&t.log, t.o.Info, text, attrs) }
func (t *Trainer) warn(text string, attrs ...any) { say(&t.log, t.o.Warn, text, attrs) }

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
