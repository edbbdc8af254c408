package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"tiro/env"
	"tiro/internal/faults"
)

// Match says who plays whom, how often and under which conditions.
type Match struct {
	Game    env.Game
	Players []PlayerFactory // at least 2, at most one a seat; the last one takes all remaining seats
	Games   int             // a multiple of Group
	Seed    uint64          // determines everything random
	Workers int             // goroutines; the report does not depend on their number

	// ConcurrentGames is how many games each worker plays at once, at most; 0 stands for
	// DefaultConcurrentGames. Their network players share batches, and the report does not
	// depend on the number. Where a player works against the clock or holds resources, or
	// none has a network, it is one.
	ConcurrentGames int

	// Opening is the number of random actions at the start of a game, the same
	// for all games of a group, at most the game's MaxPlies. An opening is
	// shorter where all that were drawn ended the game.
	Opening int

	Adjudication Adjudication

	// SPRT, if set, is a test of the first player against the second. The match ends
	// as soon as it is decided, and Games are the most that are played. Games that
	// were under way then, or that belong to later groups, are no part of the report.
	SPRT *SPRT

	// Finished are games of the same match that need not be played again, in any
	// order, such as those of a GameLog. They are part of the report.
	Finished []GameRecord

	// Record, if set, is called with every game that ends, in the order in which
	// they end, by one goroutine at a time. An error ends the match.
	Record func(GameRecord) error

	// Clock measures what the players take. The games and the report's JSON do not
	// depend on it.
	Clock Clock

	// Progress, if set, is called after every game, by one goroutine at a time.
	// It must not keep what it is given.
	Progress func(Progress)
}

// DefaultConcurrentGames fill a batch well enough: on a board of 5x5 cells, the smallest
// there is, a position takes a third of the time in a batch of 8.
const DefaultConcurrentGames = 8

// Progress is how far a match has come.
type Progress struct {
	Done, Games int
	Players     []WDL       // of each player, on all of its seats
	SPRT        *SPRTReport // nil without a test
}

// String says how the match stands; of two players, for the first.
func (p Progress) String() string {
	test := ""
	if p.SPRT != nil {
		test = fmt.Sprintf(", LLR %+.2f", p.SPRT.LLR)
	}
	if a := p.Players[0]; len(p.Players) == 2 {
		return fmt.Sprintf("(+%d =%d -%d%s)", a.Wins, a.Draws, a.Losses, test)
	}
	wins := make([]string, len(p.Players))
	for i, t := range p.Players {
		wins[i] = strconv.Itoa(t.Wins)
	}
	return fmt.Sprintf("(wins %s%s)", strings.Join(wins, ":"), test)
}

// Group returns the number of games played from each opening: one for every way
// to seat the players.
func (m *Match) Group() int { return len(m.seatings()) }

// RoundUp returns games rounded up to a multiple of Group.
func (m *Match) RoundUp(games int) int {
	group := m.Group()
	return (games + group - 1) / group * group
}

// seatsOf returns how many seats each player takes.
func (m *Match) seatsOf() []int {
	taken := make([]int, len(m.Players))
	for seat := range m.Game.Spec().Players {
		taken[min(seat, len(taken)-1)]++
	}
	return taken
}

// seatings returns every way to seat the players: for each seat, the index of
// the player on it, in lexical order.
func (m *Match) seatings() [][]int {
	seats := m.Game.Spec().Players
	left := m.seatsOf() // by player: seats that it has yet to take
	var all [][]int
	var extend func(seating []int)
	extend = func(seating []int) {
		if len(seating) == seats {
			all = append(all, slices.Clone(seating))
			return
		}
		for player := range left {
			if left[player] > 0 {
				left[player]--
				extend(append(seating, player))
				left[player]++
			}
		}
	}
	extend(nil)
	return all
}

// Validate reports everything that is wrong with the match.
func (m *Match) Validate() error {
	if m.Game == nil {
		return errors.New("arena: match: no game")
	}
	var f faults.List
	spec := m.Game.Spec()
	if n := len(m.Players); n < 2 || n > spec.Players {
		want := fmt.Sprintf("2 to %d, as many as there are seats", spec.Players)
		if spec.Players == 2 {
			want = "2, as many as there are seats"
		}
		f.Check(false, "number of players", n, want)
	} else {
		group := m.Group()
		f.Check(m.Games >= group && m.Games%group == 0, "games", m.Games,
			fmt.Sprintf("%d or more, a multiple of %d, because each opening is played in every seating", group, group))
	}
	for i, player := range m.Players {
		if player == nil {
			f.Add(fmt.Errorf("player %d is missing", i+1))
		}
	}
	f.Check(m.Workers >= 1, "workers", m.Workers, "at least 1")
	f.Check(m.ConcurrentGames >= 0, "concurrent games", m.ConcurrentGames, "0 for the default, or more")
	f.Check(m.Opening >= 0 && m.Opening <= spec.MaxPlies, "opening", m.Opening,
		fmt.Sprintf("0 to %d random actions, as no game is longer", spec.MaxPlies))
	f.Section("adjudication", m.Adjudication.Validate())
	if m.SPRT != nil {
		f.Section("sprt", m.SPRT.Validate())
	}
	if err := f.Err(); err != nil {
		return fmt.Errorf("arena: match: %w", err)
	}
	return nil
}

// Play plays the match and waits for all of its goroutines. If ctx ends first,
// or a player fails, the report holds the games that were finished, and the
// error says why there are not more.
func Play(ctx context.Context, m Match) (Report, error) {
	if err := m.Validate(); err != nil {
		return Report{}, err
	}
	var workers []*worker
	count := min(m.Workers, m.Games)
	slots := min(cmp.Or(m.ConcurrentGames, DefaultConcurrentGames), (m.Games+count-1)/count)
	for range count {
		w, err := newWorker(&m, slots)
		workers = append(workers, w)
		if err != nil {
			return Report{}, errors.Join(fmt.Errorf("arena: make the players: %w", err), closeAll(workers))
		}
	}
	c := newCollection(&m)
	err := c.collect(ctx, workers)
	if closing := closeAll(workers); closing != nil && err == nil {
		err = fmt.Errorf("arena: close a player: %w", closing)
	}
	report := newReport(&m, workers[0].slots[0].first(), c.records)
	if c.test != nil {
		report.SPRT, report.Verdict = c.test.report(), c.test.verdict
	}
	if err == nil && ctx.Err() != nil && !c.decided && report.Games < m.Games {
		err = fmt.Errorf("arena: match stopped after %d of %d games: %w", report.Games, m.Games, ctx.Err())
	}
	return report, err
}

// collection is the games of a match, as they end.
type collection struct {
	match    *Match
	known    map[int]bool // numbers of the match's Finished games
	test     *sequel      // nil without one
	records  []GameRecord
	progress Progress
	decided  bool // by the test

	err    error // of the failed game with the lowest number
	failed int   // its number
}

// newCollection returns a collection of the match's Finished games.
func newCollection(m *Match) *collection {
	c := &collection{match: m, known: map[int]bool{}, test: newSequel(m), failed: m.Games}
	c.progress = Progress{Games: m.Games, Players: make([]WDL, len(m.Players))}
	for _, r := range m.Finished {
		if r.Number < m.Games && !c.known[r.Number] {
			c.known[r.Number] = true
			c.add(r)
		}
	}
	c.settle()
	return c
}

// add adds a game.
func (c *collection) add(r GameRecord) {
	c.records = append(c.records, r)
	c.progress.Done++
	for seat, payoff := range r.Result {
		c.progress.Players[r.Seating[seat]].add(payoff)
	}
	c.decided = c.test.add(r)
}

// settle removes the games that came after the verdict, and reports progress.
func (c *collection) settle() {
	if c.decided {
		c.records = slices.DeleteFunc(c.records, func(r GameRecord) bool { return r.Group >= c.test.groups })
	}
	if c.match.Progress == nil || c.progress.Done == 0 {
		return
	}
	if c.test != nil {
		c.progress.SPRT = c.test.report()
	}
	c.match.Progress(c.progress)
}

// take takes notice of a game that has ended, or of the fault that ended it, and reports
// whether the match goes on.
func (c *collection) take(ctx context.Context, r GameRecord, fault error) bool {
	if c.decided {
		return false
	}
	if fault == nil {
		if c.add(r); c.match.Record != nil {
			fault = c.match.Record(r)
		}
		c.settle()
	}
	if fault != nil && r.Number < c.failed && (ctx.Err() == nil || !errors.Is(fault, ctx.Err())) { // else it was broken off
		c.err, c.failed = fault, r.Number
	}
	return c.err == nil && !c.decided
}

// collect has the workers play the games that are missing, until the test is decided, a
// game fails or ctx ends.
func (c *collection) collect(ctx context.Context, workers []*worker) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var one sync.Mutex // held while a game is counted
	var next atomic.Int64
	var running sync.WaitGroup
	if c.decided {
		cancel()
	}
	open := func() (number int, ok bool) {
		for ctx.Err() == nil {
			number = int(next.Add(1)) - 1
			if number >= c.match.Games || !c.known[number] {
				return number, number < c.match.Games
			}
		}
		return 0, false
	}
	done := func(r GameRecord, fault error) {
		one.Lock()
		defer one.Unlock()
		if !c.take(ctx, r, fault) {
			cancel()
		}
	}
	for _, w := range workers {
		running.Go(func() {
			defer c.match.Clock.hold()()
			w.play(ctx, open, done)
		})
	}
	running.Wait()
	return c.err
}

func closeAll(workers []*worker) error {
	var errs []error
	for _, w := range workers {
		errs = append(errs, w.close())
	}
	return errors.Join(errs...)
}

// closePlayer closes a player that is an io.Closer.
func closePlayer(p Player) error {
	if c, ok := p.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
