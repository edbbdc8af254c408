package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tiro/rundir"
)

// task is a work whose games are being played. But for isDone and missing, its methods
// are called with the lock of the Trainer.
type task struct {
	work
	id      string
	data    []byte // the announcement
	began   time.Time
	lock    *sync.Mutex     // of the Trainer
	there   []bool          // games that are done, by number
	left    int             // games that are not
	flights map[int]*flight // games that somebody plays, or that may arrive again
	twice   []int           // games that a second worker is to play
	slowest time.Duration   // from when a game was given out until it arrived, at most
	players map[string]*rundir.Player
	weights map[string][]byte // weights files by name, as far as they have been asked for

	taking sync.Mutex    // held while a game is kept
	ended  chan struct{} // closed when it is over, one way or the other
	over   bool
	err    error // why, unless all games are there
}

// flight is a game that somebody plays. Once it is done, it stays as long as another
// copy may come.
type flight struct {
	holders []*member
	since   time.Time     // it was given out
	message jetstream.Msg // of the queue; nil: not pulled since this trainer began
	touched time.Time     // the message was last kept in progress
	double  bool          // a second worker is to play it

	by, backend, digest string // of the first copy that arrived
}

// member is a process that plays, or could.
type member struct {
	process, name, backend string
	goroutines             int
	heard                  time.Time
	silent                 bool   // it was said that it is
	id                     string // announcement that it has
	refuses                bool   // to play that
	held                   map[int]bool
	hungry                 time.Time // since when it has gone without enough games; zero: it has not
	spent                  int       // evaluations for the task
	evaluations            int       // at the last request
	cpu                    float64
}

// trainerName is the name of this process among the players, which no worker can have.
const trainerName = "(trainer)"

// newTask returns the task of doing a work.
func newTask(w work, lock *sync.Mutex, now time.Time) (*task, error) {
	data, err := w.encode()
	if err != nil {
		return nil, err
	}
	k := &task{
		work: w, id: digestOf(data), data: data, began: now, lock: lock, there: make([]bool, w.size()), left: w.size(),
		flights: map[int]*flight{}, players: map[string]*rundir.Player{}, weights: map[string][]byte{}, ended: make(chan struct{}),
	}
	for _, n := range w.done() {
		k.there[n] = true
		k.left--
	}
	if k.left == 0 {
		k.end(nil)
	}
	return k, nil
}

func (k *task) isDone(n int) bool {
	k.lock.Lock()
	defer k.lock.Unlock()
	return k.there[n]
}

// missing returns how many games below a number are not done.
func (k *task) missing(below int) (n int) {
	k.lock.Lock()
	defer k.lock.Unlock()
	for _, done := range k.there[:below] {
		if !done {
			n++
		}
	}
	return n
}

// end ends the task.
func (k *task) end(err error) {
	if !k.over {
		k.over, k.err = true, err
		close(k.ended)
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

// sorted returns what is known of all players.
func (k *task) sorted() (players []rundir.Player) {
	for _, name := range slices.Sorted(maps.Keys(k.players)) {
		players = append(players, *k.players[name])
	}
	return players
}

// hold gives a game to a process.
func (k *task) hold(n int, m *member, now time.Time) *flight {
	f := k.flights[n]
	if f == nil {
		f = &flight{}
		k.flights[n] = f
	}
	if f.holders = append(f.holders, m); len(f.holders) == 1 {
		f.since = now
	}
	m.held[n] = true
	return f
}

// release takes a game from a process. One that nobody has any more goes back to the queue,
// unless it is done.
func (k *task) release(n int, m *member) {
	delete(m.held, n)
	f := k.flights[n]
	if f == nil {
		return
	}
	f.holders = slices.DeleteFunc(f.holders, func(o *member) bool { return o == m })
	if len(f.holders) > 0 || k.there[n] && f.double {
		return
	}
	if !k.there[n] && f.message != nil {
		_ = f.message.Nak() // if it is lost, the message is delivered again in time
	}
	delete(k.flights, n)
}

// renew notes which games a process still holds, and returns those that it need not play
// on. Games that were not given to it by this trainer, such as before a restart, are given
// to it, up to a number.
func (k *task) renew(m *member, held []int, most int, now time.Time, wait time.Duration) (over []int) {
	still := map[int]bool{}
	for _, n := range held {
		if n < 0 || n >= len(k.there) || still[n] {
			continue
		}
		if still[n] = true; !m.held[n] && !k.there[n] && len(m.held) < most {
			k.hold(n, m, now)
		}
		if f := k.flights[n]; f != nil && m.held[n] && f.message != nil && now.Sub(f.touched) > wait/4 {
			_ = f.message.InProgress()
			f.touched = now
		}
		if !m.held[n] || k.there[n] && !k.flights[n].double {
			over = append(over, n)
		}
	}
	for n := range m.held {
		if !still[n] {
			k.release(n, m)
		}
	}
	return over
}

// received takes a message of the queue, and reports whether its game is to be played. It is
// not if it is done, or if somebody plays it already.
func (k *task) received(g queued, m *member, now time.Time) bool {
	f := k.flights[g.number]
	switch {
	case g.number >= len(k.there) || k.there[g.number]:
		_ = g.message.Ack()
		return false
	case f != nil && len(f.holders) > 0:
		f.message, f.touched = g.message, now
		return false
	}
	f = k.hold(g.number, m, now)
	f.message, f.touched = g.message, now
	return true
}

// seconds returns up to a number of games that a second worker is to play, for a process,
// which now holds them.
func (k *task) seconds(m *member, most int, now time.Time) (given []int) {
	k.twice = slices.DeleteFunc(k.twice, func(n int) bool {
		f := k.flights[n]
		if f == nil || len(f.holders) > 1 { // it is open again, or idle workers have it, too
			return true
		}
		name, backend := f.by, f.backend
		if f.digest == "" {
			name, backend = f.holders[0].name, f.holders[0].backend
		}
		if len(given) == most || name == m.name || backend != m.backend {
			return false
		}
		k.hold(n, m, now)
		given = append(given, n)
		return true
	})
	return given
}

// behindOf is the part of its part of the evaluations below which an idle process plays
// games that others have begun. In TestParts these games are 0 to 3% of all evaluations, and
// 1 to 6% at 1.03, which leaves the parts little closer.
const behindOf = 0.98

// late returns up to a number of games that others have begun and not finished, for a
// process that would be idle, which now holds them: of the process that has most games for
// each of its goroutines, those that it was given last. It is given none if it has done its
// part of the evaluations, and none that two processes have, unless these may hang.
func (k *task) late(m *member, all []*member, most int, now time.Time, silence time.Duration) (given []int) {
	spent, goroutines := 0, 0
	for _, o := range append(all, m) {
		if o.id == k.id {
			spent, goroutines = spent+o.spent, goroutines+o.goroutines
		}
	}
	behind := float64(m.spent)*float64(goroutines) < behindOf*float64(spent)*float64(m.goroutines)
	load := func(o *member) float64 { return float64(len(o.held)) / float64(o.goroutines) }
	slices.SortFunc(all, func(a, b *member) int {
		return cmp.Or(cmp.Compare(load(b), load(a)), cmp.Compare(a.process, b.process))
	})
	for _, o := range all {
		games := slices.SortedFunc(maps.Keys(o.held), func(a, b int) int {
			return cmp.Or(k.flights[b].since.Compare(k.flights[a].since), cmp.Compare(b, a))
		})
		for _, n := range games {
			f := k.flights[n]
			age := now.Sub(f.since)
			ripe := age > silence || k.slowest > 0 && age >= k.slowest/2
			hang := age > 4*max(silence, k.slowest)
			enough := len(m.held) >= m.goroutines && 4*(load(m)+1) > load(o)
			if len(given) == most || enough {
				return given
			}
			if m.held[n] || k.there[n] || !ripe || !hang && (!behind || len(f.holders) > 1) {
				continue
			}
			k.hold(n, m, now)
			given = append(given, n)
		}
	}
	return given
}

// arrived notes that a game has arrived, and reports whether it is to be kept. A copy that
// differs from one by the same backend is an error.
func (k *task) arrived(n int, name, backend, digest string, now time.Time) (first bool, err error) {
	f := k.flights[n]
	if k.there[n] {
		if f == nil || f.digest == "" || f.digest == digest || f.backend != backend {
			return false, nil
		}
		return false, fmt.Errorf("workers %s and %s have played game %d of %s differently on the same backend; one of these machines is broken, perhaps its memory, or does not tell the truth; its other games may be wrong, too", f.by, name, n, k.work)
	}
	if f == nil {
		f = &flight{since: now}
		k.flights[n] = f
	}
	k.slowest = max(k.slowest, now.Sub(f.since))
	f.by, f.backend, f.digest = name, backend, digest
	k.done(n)
	return true, nil
}

// done notes that a game is there, or not wanted any more.
func (k *task) done(n int) {
	k.there[n] = true
	k.left--
	if f := k.flights[n]; f != nil && f.message != nil {
		_ = f.message.Ack() // if it is lost, the message comes again, and is acknowledged then
		f.message = nil
	}
}
