package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
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
	Store    string // folder of the server that is embedded; it may be removed at any time; empty: a temporary one
	Replicas int    // of what an external cluster keeps; 0: 1

	Credentials string // folder made by NewCredentials, or the trainer's file in it; empty: none

	Workers int           // goroutines of this process that play, too; 0: it plays nothing itself
	Lease   time.Duration // how long a worker may be silent before others play its games: 1 s to 1 h
	Twice   float64       // share of the games that two workers play, 0 to 1
	Secret  uint64        // chooses which games; workers do not know it
	Version string        // of this program; workers must have the same

	// For matches: what computes their networks, and what finds the game of one that was
	// trained for another than it plays.
	Backend string
	Find    env.Lookup

	Clock func() time.Time     // for leases, and by which the server's certificate is valid or not
	CPU   func() time.Duration // CPU time that this process has taken; may be nil

	// Info and Warn get messages for people, Detail what is for a log alone, as in
	// train.Events. They are called by one goroutine at a time, and may be nil.
	Info, Warn, Detail func(text string, attrs ...any)
}

// Defaults of Options.
const (
	DefaultLease = 30 * time.Second
	DefaultTwice = 0.02
)

// Validate reports every field that is out of range.
func (o Options) Validate() error {
	var f faults.List
	f.Check((o.Listen == "") != (o.URL == ""), "address", o.Listen+o.URL, "one to listen at, or that of a server")
	f.Check(o.Workers >= 0, "workers", o.Workers, "0 or more")
	f.Check(o.Lease >= time.Second && o.Lease <= time.Hour, "lease", o.Lease, "1s to 1h")
	f.Check(o.Twice >= 0 && o.Twice <= 1, "share of games played twice", o.Twice, "0 to 1")
	f.Check(o.Replicas >= 0 && o.Replicas <= 5, "replicas", o.Replicas, "0 to 5")
	f.Check(o.Clock != nil, "clock", nil, "a function")
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

	mu      sync.Mutex
	current *task
	members map[string]*membership    // by process, as in a ledger
	banned  map[string]string         // workers whose games are not believed any more, and why
	told    map[string]bool           // what was said once
	matches map[string]*rundir.Player // what players have done of matches
	refused map[string]int            // messages by why they were refused
	broken  broken                    // what was broken off last
	away    bool                      // the last task was interrupted, and no other has begun
	changed chan struct{}             // there is something to announce; holds one

	link *link // nil before the first generation
}

var (
	_ train.Selfplayer = (*Trainer)(nil)
	_ arena.Gameplayer = (*Trainer)(nil)
)

// broken is a task that was broken off because a worker was dropped, and is about to begin
// again.
type broken struct {
	id     string
	ledger *ledger
}

// trainerName is the name of this process among the players, which no worker can have.
const trainerName = "(trainer)"

// New returns a Trainer. Nothing is begun before the first generation.
func New(o Options) (*Trainer, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	t := &Trainer{
		o: o, members: map[string]*membership{}, banned: map[string]string{}, told: map[string]bool{}, matches: map[string]*rundir.Player{},
		refused: map[string]int{}, changed: make(chan struct{}, 1),
	}
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

// Close ends the connection and the embedded server, and reports by Info who has played the
// games of matches. It must be called once Play and PlayGames have returned, and may be
// called again.
func (t *Trainer) Close() {
	t.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(t.matches)) {
		p := t.matches[name]
		t.info("played", "worker", name, "games", p.Games, "evaluations", p.Evaluations, "cpu_seconds", math.Round(p.CPUSeconds), "backend", p.Backend)
	}
	clear(t.matches)
	t.mu.Unlock()
	if t.link != nil {
		t.link.close()
	}
}

// Play has the games of a generation played, and returns them by their numbers. It waits
// for a server that is away and for workers, unless this process plays itself
// (Options.Workers). Its error is that of ctx, a train.Retraction, or says what went wrong.
// It must not be called while Play or PlayGames is at work.
func (t *Trainer) Play(ctx context.Context, games train.Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Player, error) {
	g, err := newGeneration(&games, t.o.Version, t.o.Lease.Milliseconds())
	if err != nil {
		return nil, selfplay.Stats{}, nil, fmt.Errorf("cluster: %w", err)
	}
	stats, players, err := t.perform(ctx, g)
	episodes, stats := g.result(stats, players)
	if _, ok := errors.AsType[*train.Retraction](err); err != nil && !ok {
		err = fmt.Errorf("cluster: %s: %w", g, err)
	}
	return episodes, stats, players, err
}

// watch waits until a task is over, and lets leases expire.
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
		case c := <-k.disputed:
			if err := t.settle(ctx, k, c); err != nil {
				return err
			}
		case <-ticker.C:
			t.tick(k)
		}
	}
}

// forgotten is after how many times of a lease a silent process is forgotten.
const forgotten = 20

func (t *Trainer) tick(k *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.o.Clock()
	k.ledger.expire(now)
	k.endIfComplete(now)
	for _, process := range slices.Sorted(maps.Keys(t.members)) {
		m := t.members[process]
		silent := now.Sub(m.heard)
		if !m.silent && process != trainerName && silent > t.o.Lease {
			m.silent = true
			t.warn("a worker is silent; others play its games", "worker", owner(process), "seconds", int(silent.Seconds()))
		}
		if silent > forgotten*t.o.Lease {
			delete(t.members, process)
		}
	}
}

// local plays games in this process, as a worker does.
func (t *Trainer) local(ctx context.Context, k *task) selfplay.Stats {
	counted := &counter{}
	p := player{
		source: &hereSource{t, k}, id: k.id, lease: t.o.Lease, workers: t.o.Workers,
		fill: func(q *request) {
			q.Tiro, q.Session, q.Backend, q.Evaluations = t.o.Version, trainerName, k.backend(), counted.evaluations()
			if t.o.CPU != nil {
				q.CPUSeconds = t.o.CPU().Seconds()
			}
		},
	}
	w, err := k.local(k.backend(), counted)
	if err == nil {
		err = p.play(ctx, w)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errPaused) {
		t.mu.Lock()
		k.end(err)
		t.mu.Unlock()
	}
	return p.stats
}

// hereSource is the source of the games that this process plays: the Trainer itself.
type hereSource struct {
	t *Trainer
	k *task
}

func (s *hereSource) ask(_ context.Context, q request) (reply, error) {
	return s.t.answer(trainerName, &q), nil
}

func (s *hereSource) deliver(_ context.Context, p *delivery) error {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if s.t.current != s.k {
		return nil
	}
	return s.t.take(s.k, trainerName, p.game)
}

// sayRefused says how many messages were refused since it last did.
func (t *Trainer) sayRefused() {
	for _, kind := range slices.Sorted(maps.Keys(t.refused)) {
		tell := t.warn
		if kind == refusedLate || kind == refusedDuplicate {
			tell = t.detail // such as of a worker that slept
		}
		tell("messages refused", "kind", kind, "messages", t.refused[kind])
	}
	clear(t.refused)
}

func (t *Trainer) info(text string, attrs ...any)   { say(&t.log, t.o.Info, text, attrs) }
func (t *Trainer) warn(text string, attrs ...any)   { say(&t.log, t.o.Warn, text, attrs) }
func (t *Trainer) detail(text string, attrs ...any) { say(&t.log, t.o.Detail, text, attrs) }

// playedTwice returns which games of an announcement two workers are to play.
func (t *Trainer) playedTwice(id string) func(game int) bool {
	key := t.o.Secret
	for _, b := range []byte(id) {
		key = env.Mix(key ^ uint64(b))
	}
	limit := uint64(t.o.Twice * (1 << 53))
	return func(game int) bool { return env.Mix(key+uint64(game))>>11 < limit }
}
