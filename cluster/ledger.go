package cluster

import (
	"slices"
	"time"
)

// ledger says who plays which games of a generation. It knows no messages and no
// clock, and belongs to one goroutine at a time.
//
// A game is leased to a worker that wants one, for as long as that is heard of: once
// it has been silent for the time of a lease, the game is open to others. Whoever
// delivers a game first has played it; since all play the same, nothing else would
// come of another order.
type ledger struct {
	lease   time.Duration
	games   []gameState // by number
	left    int         // games that are not done
	next    int         // all games below are leased or done
	members map[string]*member
}

// gameState is what the ledger knows of a game.
type gameState struct {
	done   bool
	by     string  // who delivered it; empty: it was done before
	leases []lease // one, or two of a game that is played twice
	twice  bool    // it is to be played by two workers
	second string  // who delivered it again
	digest string  // of the game as it was delivered first
}

// lease is a game in the hands of a worker.
type lease struct {
	worker string
	until  time.Time
}

// member is a worker that has been heard of.
type member struct {
	workers int
	backend string
	heard   time.Time
}

// newLedger returns the ledger of so many games. Those for which twice reports true
// are to be played by two workers.
func newLedger(games int, length time.Duration, done []int, twice func(game int) bool) *ledger {
	l := &ledger{lease: length, games: make([]gameState, games), left: games, members: map[string]*member{}}
	for g := range l.games {
		l.games[g].twice = twice(g)
	}
	for _, g := range done {
		l.games[g] = gameState{done: true}
		l.left--
	}
	return l
}

// join notes that a worker was heard of, which has so many goroutines.
func (l *ledger) join(name string, workers int, backend string, now time.Time) {
	l.members[name] = &member{workers, backend, now}
}

// leave gives back what a worker holds.
func (l *ledger) leave(name string) {
	delete(l.members, name)
	for g := range l.games {
		l.release(g, name)
	}
}

// release takes a game back from a worker.
func (l *ledger) release(game int, name string) {
	s := &l.games[game]
	n := len(s.leases)
	s.leases = slices.DeleteFunc(s.leases, func(x lease) bool { return x.worker == name })
	if len(s.leases) < n {
		l.next = min(l.next, game)
	}
}

// renew notes which games a worker still holds, or has just sent. What it held
// before is released.
func (l *ledger) renew(name string, held []int, now time.Time) {
	kept := map[int]bool{}
	for _, g := range held {
		if g < 0 || g >= len(l.games) || kept[g] {
			continue
		}
		kept[g] = true
		s := &l.games[g]
		at := slices.IndexFunc(s.leases, func(x lease) bool { return x.worker == name })
		switch {
		case at >= 0:
			s.leases[at].until = now.Add(l.lease)
		case l.wanted(g, name, now):
			s.leases = append(s.leases, lease{name, now.Add(l.lease)})
		}
	}
	for g := range l.games {
		if !kept[g] {
			l.release(g, name)
		}
	}
}

// wanted reports whether a worker may be given a game.
func (l *ledger) wanted(game int, name string, now time.Time) bool {
	s := &l.games[game]
	s.leases = slices.DeleteFunc(s.leases, func(x lease) bool { return now.After(x.until) })
	switch {
	case s.done && (!s.twice || s.second != "" || s.by == name || s.by == ""):
		return false
	case len(s.leases) == 0:
		return !s.done || l.same(name, s.by)
	}
	return s.twice && !s.done && len(s.leases) == 1 && s.leases[0].worker != name && l.same(name, s.leases[0].worker)
}

// same reports whether two workers compute the same bits.
func (l *ledger) same(a, b string) bool {
	x, y := l.members[a], l.members[b]
	return x != nil && y != nil && x.backend == y.backend
}

// grant leases up to so many games to a worker and returns them, those that are to
// be played twice and still lack their second player first.
func (l *ledger) grant(name string, want int, now time.Time) []int {
	var granted []int
	take := func(g int) {
		if len(granted) < want && l.wanted(g, name, now) {
			l.games[g].leases = append(l.games[g].leases, lease{name, now.Add(l.lease)})
			granted = append(granted, g)
		}
	}
	for g := range l.games {
		if s := &l.games[g]; s.twice && (s.done || len(s.leases) > 0) {
			take(g)
		}
	}
	for g := l.next; g < len(l.games) && len(granted) < want; g++ {
		take(g)
		if g == l.next && (l.games[g].done || len(l.games[g].leases) > 0) {
			l.next++
		}
	}
	return granted
}

// expire makes games of workers that have been silent for too long open again, and
// forgets these workers.
func (l *ledger) expire(now time.Time) {
	for g := range l.games {
		s := &l.games[g]
		n := len(s.leases)
		s.leases = slices.DeleteFunc(s.leases, func(x lease) bool { return now.After(x.until) })
		if len(s.leases) < n {
			l.next = min(l.next, g)
		}
	}
	for name, m := range l.members {
		if now.After(m.heard.Add(l.lease)) {
			delete(l.members, name)
		}
	}
}

// share returns how many games a worker should have at a time, so that all that are
// left are spread by the goroutines of those that are there.
func (l *ledger) share(name string) int {
	all, own := 0, 0
	for member, m := range l.members {
		all += m.workers
		if member == name {
			own = m.workers
		}
	}
	if all == 0 {
		return 0
	}
	return (l.left*own + all - 1) / all
}

// verdict is what becomes of a game that was delivered.
type verdict int

// Verdicts.
const (
	accepted  verdict = iota // it is the first to arrive
	duplicate                // it is there already, and is the same
	confirmed                // the same, by the second worker of a game that is played twice
	differs                  // it is there already, and differs
)

// deliver notes that a worker has delivered a game with that digest. A game that was
// done before the ledger began is a duplicate, whatever it is.
func (l *ledger) deliver(game int, name string, digest string) verdict {
	s := &l.games[game]
	l.release(game, name)
	switch {
	case !s.done:
		s.done, s.by, s.digest = true, name, digest
		l.left--
		return accepted
	case s.by == "":
		return duplicate
	case s.digest != digest:
		return differs
	case s.twice && s.by != name && s.second == "":
		s.second = name
		return confirmed
	}
	return duplicate
}

// complete reports whether all games are done, and those that are being played for
// the second time too.
func (l *ledger) complete(now time.Time) bool {
	if l.left > 0 {
		return false
	}
	for g := range l.games {
		s := &l.games[g]
		second := s.twice && s.second == "" && s.by != ""
		if second && slices.ContainsFunc(s.leases, func(x lease) bool { return x.worker != s.by && !now.After(x.until) }) {
			return false
		}
	}
	return true
}

// playedBy returns the games that a worker has delivered.
func (l *ledger) playedBy(name string) (games []int) {
	for g := range l.games {
		if l.games[g].by == name {
			games = append(games, g)
		}
	}
	return games
}
