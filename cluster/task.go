package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tiro/env"
	"tiro/rundir"
)

// task is games that a Trainer has played. Its methods are called with Trainer.mu.
type task struct {
	work
	announcement announcement
	existing     []int             // numbers of games that exist already
	networks     map[string][]byte // weights files, by objectOf their checksums

	// Set by start.
	id      string
	data    []byte // the announcement
	began   time.Time
	secret  uint64        // selects the games that are played twice
	share   float64       // of these games
	games   []*gameState  // by number; nil: not given out yet
	left    int           // games that are not done
	twice   []int         // games that a second worker should play
	slowest time.Duration // longest time from giving out a game to its arrival
	over    bool
	err     error         // why it is over, unless all games are done
	ended   chan struct{} // closed when it is over
}

// gameState is a game of a task.
type gameState struct {
	done    bool          // or no longer wanted
	message jetstream.Msg // of the queue; nil: not pulled, or acknowledged
	since   time.Time     // it was pulled
	by      *member       // that it was given to, and then that sent the first copy
	digest  string        // of that copy
}

// member is a worker's process.
type member struct {
	rundir.Contribution // to the current task
	heard               time.Time
	silent              bool
	id                  string       // announcement that it has
	refuses             bool         // to play that
	held                map[int]bool // games that it was given and not finished
	touched             time.Time    // the messages of held were last kept in progress
}

// start starts the task.
func (k *task) start(now time.Time, secret uint64, share float64) (err error) {
	k.began, k.secret, k.share, k.games, k.left, k.ended = now, secret, share, make([]*gameState, k.size()), k.size(), make(chan struct{})
	if k.data, err = json.Marshal(k.announcement); len(k.data) > maxAnnouncement {
		err = fmt.Errorf("the announcement has %d bytes, most of them openings; the limit is %d", len(k.data), maxAnnouncement)
	}
	k.id = rundir.Checksum(k.data)
	for _, n := range k.existing {
		k.finish(n)
	}
	if k.left == 0 {
		k.end(nil)
	}
	return err
}

// game returns the state of a game.
func (k *task) game(n int) *gameState {
	if k.games[n] == nil {
		k.games[n] = &gameState{}
	}
	return k.games[n]
}

func (k *task) isDone(n int) bool { return k.games[n] != nil && k.games[n].done }

// missing returns how many games below a number are not done.
func (k *task) missing(below int) (n int) {
	for i := range below {
		if !k.isDone(i) {
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

// finish records that a game is done, or no longer wanted.
func (k *task) finish(n int) {
	if k.isDone(n) {
		return
	}
	g := k.game(n)
	g.done = true
	k.left--
	if g.message != nil {
		_ = g.message.Ack() // if it is lost, the message is delivered and acknowledged again
		g.message = nil
	}
}

// chosen reports whether two workers should play a game.
func (k *task) chosen(n int) bool {
	return env.Mix(k.secret+uint64(n))>>11 < uint64(k.share*(1<<53))
}

// begin records that a process has begun a game.
func (k *task) begin(n int, m *member, now time.Time) {
	g := k.game(n)
	if g.by == nil && k.chosen(n) {
		k.twice = append(k.twice, n)
	}
	g.by, g.since = m, now
	m.held[n] = true
}

// seconds gives a process up to most games that another worker with the same backend has
// begun and a second one should play.
func (k *task) seconds(m *member, most int) (given []int) {
	k.twice = slices.DeleteFunc(k.twice, func(n int) bool {
		g := k.games[n]
		if len(given) == most || g.by.Name == m.Name || g.by.Backend != m.Backend {
			return false
		}
		m.held[n] = true
		given = append(given, n)
		return true
	})
	return given
}

// take takes a game from a worker. A copy that differs from another one with the same backend
// ends the task.
func (k *task) take(m *member, r received, now time.Time) {
	if k.over {
		return
	}
	g := k.game(r.number)
	if g.done {
		if g.digest != "" && g.digest != r.digest && g.by.Backend == m.Backend {
			k.end(fmt.Errorf("workers %s and %s played game %d of %s differently with the same backend; one of them has faulty hardware or sends false results, and its other games may be wrong too", g.by.Name, m.Name, r.number, k))
		}
		return
	}
	if !g.since.IsZero() {
		k.slowest = max(k.slowest, now.Sub(g.since))
	}
	g.by, g.digest = m, r.digest
	k.finish(r.number)
	unwanted, err := r.keep()
	if err != nil {
		k.end(err)
		return
	}
	m.Games++
	for _, n := range unwanted {
		k.finish(n)
	}
	if k.left == 0 {
		k.end(nil)
	}
}

// players returns the contribution of each worker, given all members.
func (k *task) players(members map[string]*member, now time.Time) (all []rundir.Contribution) {
	by := map[string]rundir.Contribution{}
	for _, process := range slices.Sorted(maps.Keys(members)) {
		m := members[process]
		if m.id != k.id {
			continue
		}
		p := by[m.Name]
		if !m.silent {
			p.Workers += m.Workers
		}
		p.Name, p.Backend = m.Name, m.Backend
		p.Games += m.Games
		p.Evaluations += m.Evaluations
		p.CPUSeconds += m.CPUSeconds
		p.Silent = max(p.Silent, now.Sub(m.heard).Seconds())
		by[m.Name] = p
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, by[name])
	}
	return all
}
