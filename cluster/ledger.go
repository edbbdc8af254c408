package cluster

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// ledger says who plays which games of a generation. It knows no messages and no
// clock, and belongs to one goroutine at a time.
//
// A game is leased to a worker that wants one, for as long as that is heard of: once
// it has been silent for the time of a lease, the game is open to others. Whoever
// delivers a game first has played it; since all play the same, nothing else would
// come of another order.
//
// A process that is heard of may still hang with a game. Once no game is open, those that
// are overdue are leased to other processes too.
//
// Leases belong to processes, which are named OWNER/SESSION or, for the only one of its
// owner, OWNER. Games that are played twice are played by two owners.
type ledger struct {
	lease   time.Duration
	games   []gameState             // by number
	left    int                     // games that are not done
	next    int                     // all games below are leased or done
	members map[string]*member      // by process
	held    map[string]map[int]bool // games leased to each process
	twice   []int                   // games to be played by two workers
	slowest time.Duration           // how long a game has been leased at most that was delivered
	late    []int                   // games that were overdue when leases last expired
}

// overdueAfter is how many times as long as the slowest delivered game, or as a lease if
// that is longer, a game is leased before it is overdue.
const overdueAfter = 4

// owner returns whose process it is: the name of the worker.
func owner(process string) string {
	name, _, _ := strings.Cut(process, "/")
	return name
}

// gameState is what the ledger knows of a game.
type gameState struct {
	done   bool
	by     string  // owner who delivered it; empty: it was done before
	on     string  // backend that it was played on
	leases []lease // one, or two of a game that is played twice; more of one that was overdue
	twice  bool    // it is to be played by two workers
	second string  // owner who delivered it again
	digest string  // of the game as it was delivered first
}

// lease is a game in the hands of a process.
type lease struct {
	process string
	since   time.Time // when the process got the game
	until   time.Time
	sent    bool // the process has sent the game, which may still wait at the server
}

// member is a process that has been heard of.
type member struct {
	workers int
	backend string
	heard   time.Time
}

// newLedger returns the ledger of so many games. Those for which twice reports true
// are to be played by two workers.
func newLedger(games int, length time.Duration, done []int, twice func(game int) bool) *ledger {
	l := &ledger{lease: length, games: make([]gameState, games), left: games, members: map[string]*member{}, held: map[string]map[int]bool{}}
	for _, g := range done {
		l.games[g].done = true
		l.left--
	}
	for g := range l.games {
		if !l.games[g].done && twice(g) {
			l.games[g].twice = true
			l.twice = append(l.twice, g)
		}
	}
	return l
}

// credit notes who has delivered the games that were done before, as far as an earlier
// ledger of the same games knows it.
func (l *ledger) credit(earlier *ledger) {
	for g := range l.games {
		if s, was := &l.games[g], &earlier.games[g]; s.done && was.done {
			s.by, s.on, s.digest = was.by, was.on, was.digest
		}
	}
}

// join notes that a process was heard of, which has so many goroutines.
func (l *ledger) join(process string, workers int, backend string, now time.Time) {
	l.members[process] = &member{workers, backend, now}
}

// leave gives back what an owner's processes hold.
func (l *ledger) leave(name string) {
	maps.DeleteFunc(l.members, func(process string, _ *member) bool { return owner(process) == name })
	for g := range l.games {
		l.release(g, func(x lease) bool { return owner(x.process) == name })
	}
}

// add leases a game to a process.
func (l *ledger) add(game int, process string, now time.Time) {
	l.games[game].leases = append(l.games[game].leases, lease{process: process, since: now, until: now.Add(l.lease)})
	if l.held[process] == nil {
		l.held[process] = map[int]bool{}
	}
	l.held[process][game] = true
}

// release ends the leases of a game for which ended reports true.
func (l *ledger) release(game int, ended func(lease) bool) {
	s := &l.games[game]
	s.leases = slices.DeleteFunc(s.leases, func(x lease) bool {
		if !ended(x) {
			return false
		}
		if delete(l.held[x.process], game); len(l.held[x.process]) == 0 {
			delete(l.held, x.process)
		}
		l.next = min(l.next, game)
		return true
	})
}

// renew notes which games a process still holds, and which it has just sent. Others that
// it held before are released, those that it has sent when their leases expire. Games that
// were not leased to it, such as before a restart, are leased to it as far as it may hold
// so many.
func (l *ledger) renew(process string, held, sent []int, now time.Time) {
	kept, most := map[int]bool{}, l.most(process)
	for i, g := range slices.Concat(held, sent) {
		if g < 0 || g >= len(l.games) || kept[g] {
			continue
		}
		kept[g] = true
		s := &l.games[g]
		mine := func(x lease) bool { return x.process == process }
		if !slices.ContainsFunc(s.leases, mine) && len(l.held[process]) < most && l.wanted(g, process, now) {
			l.add(g, process, now)
		}
		if at := slices.IndexFunc(s.leases, mine); at >= 0 {
			x, isSent := &s.leases[at], i >= len(held)
			if !isSent || !x.sent { // it is sent once, and then has the time of a lease to arrive
				x.until = now.Add(l.lease)
			}
			x.sent = isSent
		}
	}
	for _, g := range slices.Collect(maps.Keys(l.held[process])) {
		if !kept[g] {
			l.release(g, func(x lease) bool { return x.process == process && !x.sent })
		}
	}
}

// wanted reports whether a process may be given a game.
func (l *ledger) wanted(game int, process string, now time.Time) bool {
	s, name, backend := &l.games[game], owner(process), ""
	if m := l.members[process]; m != nil {
		backend = m.backend
	}
	l.release(game, func(x lease) bool { return now.After(x.until) })
	switch {
	case s.done && (!s.twice || s.second != "" || s.by == name || s.by == ""):
		return false
	case len(s.leases) == 0:
		return !s.done || s.on == backend
	}
	first := s.leases[0].process
	m := l.members[first]
	return s.twice && !s.done && len(s.leases) == 1 && owner(first) != name && m != nil && m.backend == backend
}

// extend makes all leases last longer, after a time in which nobody could be heard.
func (l *ledger) extend(by time.Duration) {
	for g := range l.games {
		for i := range l.games[g].leases {
			x := &l.games[g].leases[i]
			x.since, x.until = x.since.Add(by), x.until.Add(by)
		}
	}
	for _, m := range l.members {
		m.heard = m.heard.Add(by)
	}
}

// grant leases up to so many games to a process and returns them: those first that are to
// be played twice and still lack their second player, those last that are overdue.
func (l *ledger) grant(process string, want int, now time.Time) []int {
	var granted []int
	take := func(g int) {
		if len(granted) < want && l.wanted(g, process, now) {
			l.add(g, process, now)
			granted = append(granted, g)
		}
	}
	for _, g := range l.twice {
		if s := &l.games[g]; s.done || len(s.leases) > 0 {
			take(g)
		}
	}
	for g := l.next; g < len(l.games) && len(granted) < want; g++ {
		take(g)
		if g == l.next && (l.games[g].done || len(l.games[g].leases) > 0) {
			l.next++
		}
	}
	for _, g := range l.late {
		s := &l.games[g]
		own := slices.ContainsFunc(s.leases, func(x lease) bool { return x.process == process })
		if len(granted) < want && !s.done && !own && l.overdue(s, now) {
			l.add(g, process, now)
			granted = append(granted, g)
		}
	}
	return granted
}

// overdue reports whether a game is leased, and all its leases are overdue.
func (l *ledger) overdue(s *gameState, now time.Time) bool {
	return len(s.leases) > 0 && !slices.ContainsFunc(s.leases, func(x lease) bool { return !l.isLate(x, now) })
}

// isLate reports whether a process has held a game for so long that it may hang.
func (l *ledger) isLate(x lease, now time.Time) bool {
	return now.Sub(x.since) > overdueAfter*max(l.lease, l.slowest)
}

// took notes how long an owner has held a game that it is about to deliver, unless that
// was done without it.
func (l *ledger) took(game int, name string, now time.Time) {
	s := &l.games[game]
	for _, x := range s.leases {
		if owner(x.process) == name && (!s.done || s.twice) {
			l.slowest = max(l.slowest, now.Sub(x.since))
		}
	}
}

// cancel makes games count as done that nobody wants any more.
func (l *ledger) cancel(games []int) {
	for _, g := range games {
		if s := &l.games[g]; !s.done {
			l.release(g, func(lease) bool { return true })
			s.done = true
			l.left--
		}
	}
}

// reopen makes games that are done, whoever has delivered them, be played again.
func (l *ledger) reopen(games []int) {
	for _, g := range games {
		if s := &l.games[g]; s.done {
			s.done, s.by, s.on, s.second, s.digest = false, "", "", "", ""
			l.left++
			l.next = min(l.next, g)
		}
	}
}

// expire makes games of workers that have been silent for too long open again, forgets
// these workers, and finds the games that are overdue.
func (l *ledger) expire(now time.Time) {
	l.late = l.late[:0]
	for g := range l.games {
		l.release(g, func(x lease) bool { return now.After(x.until) })
		if s := &l.games[g]; !s.done && l.overdue(s, now) {
			l.late = append(l.late, g)
		}
	}
	for name, m := range l.members {
		if now.After(m.heard.Add(l.lease)) {
			delete(l.members, name)
		}
	}
}

// share returns how many games a process should have at a time, so that all that are
// left are spread by the goroutines of those that are there.
func (l *ledger) share(process string) int {
	all, own := 0, 0
	for member, m := range l.members {
		all += m.workers
		if member == process {
			own = m.workers
		}
	}
	if all == 0 {
		return 0
	}
	return (l.left*own + all - 1) / all
}

// most returns how many games a process may hold: its share, and one for each goroutine to
// go on with.
func (l *ledger) most(process string) int {
	if m := l.members[process]; m != nil {
		return l.share(process) + m.workers
	}
	return 0
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

// deliver notes that an owner has delivered a game with that digest. A game that was
// done before the ledger began is a duplicate, whatever it is, unless its deliverer was
// credited.
func (l *ledger) deliver(game int, name string, digest string) verdict {
	s, backend := &l.games[game], l.backend(game, name)
	l.release(game, func(x lease) bool { return owner(x.process) == name })
	switch {
	case !s.done:
		s.done, s.by, s.on, s.digest = true, name, backend, digest
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

// backend returns the backend on which an owner has played a game: that of the process
// which holds it, or of its first one.
func (l *ledger) backend(game int, name string) string {
	for _, x := range l.games[game].leases {
		if m := l.members[x.process]; m != nil && owner(x.process) == name {
			return m.backend
		}
	}
	for _, process := range slices.Sorted(maps.Keys(l.members)) {
		if owner(process) == name {
			return l.members[process].backend
		}
	}
	return ""
}

// complete reports whether all games are done, and those that are being played for
// the second time too, unless they are overdue.
func (l *ledger) complete(now time.Time) bool {
	if l.left > 0 {
		return false
	}
	for _, g := range l.twice {
		s := &l.games[g]
		second := s.twice && s.second == "" && s.by != ""
		if second && slices.ContainsFunc(s.leases, func(x lease) bool { return owner(x.process) != s.by && !now.After(x.until) && !l.isLate(x, now) }) {
			return false
		}
	}
	return true
}

// playedBy returns the games that an owner has delivered.
func (l *ledger) playedBy(name string) (games []int) {
	for g := range l.games {
		if l.games[g].by == name {
			games = append(games, g)
		}
	}
	return games
}
