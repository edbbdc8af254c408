package cluster

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"tiro/rundir"
	"tiro/selfplay"
)

// task is an order whose games are being played. Its methods are called with the lock of
// the Trainer.
type task struct {
	order
	id       string
	data     []byte // the announcement
	ledger   *ledger
	players  map[string]*rundir.Player
	workers  map[string]int  // goroutines by process
	silent   map[string]bool // players whose silence is known
	disputes int             // games of which it is not known yet which version is right
	disputed chan *conflict  // these
	ended    chan struct{}   // closed when it is over, one way or the other
	over     bool
	err      error // why, unless all games are there
}

// newTask returns an order of which no game is leased.
func (t *Trainer) newTask(o order) (*task, error) {
	data, err := o.encode()
	if err != nil {
		return nil, err
	}
	id := digestOf(data)
	books := newLedger(o.size(), t.o.Lease, o.done(), t.playedTwice(id))
	if t.broken.id == id {
		books.credit(t.broken.ledger)
	}
	return &task{
		order: o, id: id, data: data,
		ledger:   books,
		players:  map[string]*rundir.Player{},
		workers:  map[string]int{},
		silent:   map[string]bool{},
		disputed: make(chan *conflict, maxDisputes),
		ended:    make(chan struct{}),
	}, nil
}

// set makes a task the one that is performed.
func (t *Trainer) set(k *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current, t.away = k, false
	k.endIfComplete(t.o.Clock())
	signal(t.changed)
}

// leave ends the performance of a task. If it was interrupted, workers are told nothing, so
// that they play on for whoever resumes it.
func (t *Trainer) leave(interrupted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current, t.away = nil, interrupted
}

// perform has the games of an order played, and returns what this process took, and what
// each player did.
func (t *Trainer) perform(ctx context.Context, o order) (stats selfplay.Stats, players []rundir.Player, err error) {
	k, err := t.newTask(o)
	if err != nil {
		return stats, nil, err
	}
	t.set(k)
	if err := t.open(ctx); err != nil {
		t.leave(false)
		return stats, nil, err
	}
	during, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	if t.o.Workers > 0 {
		wait.Go(func() { stats = t.local(during, k) })
	}
	err = t.watch(ctx, k)
	t.leave(ctx.Err() != nil)
	cancel()
	wait.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sayRefused()
	for process, m := range t.members {
		if p := k.players[owner(process)]; p != nil {
			if silent := t.o.Clock().Sub(m.heard).Seconds(); !k.silent[p.Name] || silent < p.Silent {
				k.silent[p.Name], p.Silent = true, max(0, silent)
			}
		}
	}
	return stats, k.sorted(), cmp.Or(err, k.err)
}

// end ends the task.
func (k *task) end(err error) {
	if !k.over {
		k.over, k.err = true, err
		close(k.ended)
	}
}

// endIfComplete ends the task if nothing is to come any more.
func (k *task) endIfComplete(now time.Time) {
	if k.disputes == 0 && k.ledger.complete(now) {
		k.end(nil)
	}
}

// player returns what is known of a player.
func (k *task) player(name string) *rundir.Player {
	p := k.players[name]
	if p == nil {
		p = &rundir.Player{Name: name}
		k.players[name] = p
	}
	return p
}

// accept keeps a game that is there for the first time.
func (k *task) accept(name string, g game) error {
	unwanted, err := g.keep()
	if err != nil {
		return err
	}
	k.player(name).Games++
	k.ledger.cancel(unwanted)
	return nil
}

// retract takes back what a worker has played, which is played again.
func (k *task) retract(name string) {
	games := k.ledger.playedBy(name)
	k.ledger.leave(name)
	if len(games) == 0 || k.over {
		return
	}
	wanted, err := k.order.retract(games, name)
	if err != nil {
		k.end(err)
	}
	k.ledger.reopen(wanted)
}

// sorted returns what is known of all players.
func (k *task) sorted() (players []rundir.Player) {
	for _, name := range slices.Sorted(maps.Keys(k.players)) {
		players = append(players, *k.players[name])
	}
	return players
}
