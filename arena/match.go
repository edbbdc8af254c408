package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"tiro/env"
	"tiro/internal/decimal"
	"tiro/internal/faults"
	"tiro/player"
)

// MaxGames is the largest number of games of a match, which are all in memory.
const MaxGames = 1 << 20

// Match describes a match: the players, the number of games and the conditions.
type Match struct {
	Game    env.Game
	Players []player.Factory // 2 up to the number of seats; the last one takes all remaining seats
	Games   int              // a multiple of Group, at most MaxGames
	Seed    uint64           // determines all randomness
	Workers int              // number of goroutines, which does not affect the report

	// Opening is the number of random actions at the start of a game, at most the
	// game's MaxPlies. All games of a group share their opening. An opening is shorter
	// if all those drawn with full length ended the game.
	Opening int

	// Starts are given openings, after which the random actions follow. The groups use
	// them in order, again from the first one after the last. Without them games begin at the
	// game's first position.
	Starts []Start

	Adjudication Adjudication

	// SPRT, if set, is a test of the first player against the second. The match ends
	// as soon as it is decided, and at the latest after Games games. The report leaves
	// out unfinished games and games of later groups.
	SPRT *SPRT

	// Elsewhere, if set, plays the games instead of Workers, for example on other
	// machines. The report is the same.
	Elsewhere Gameplayer

	// Finished are games of the same match that need not be played again, in any order.
	// They may come from a GameLog. The report includes them.
	Finished []GameRecord

	// Record, if set, is called with every finished game, in the order in which they
	// end, by one goroutine at a time. An error ends the match.
	Record func(GameRecord) error

	// Clock measures the players' times, for reports and for players with a time control,
	// which lose games on time. Otherwise the games and the report's JSON do not depend on
	// it.
	Clock player.Clock

	// Progress, if set, is called after every game, by one goroutine at a time.
	// It must not keep its argument.
	Progress func(Progress)

	concurrent int // maximum of AtOnce instead of the default, for tests; 0 for the default
}

// DefaultConcurrentGames fills batches sufficiently: even on the smallest board, 5x5 cells,
// evaluating a position in a batch of 8 takes a third of the time.
const DefaultConcurrentGames = 8

// Networks on a device need larger batches. While the positions of some workers are evaluated,
// the others search.
const (
	deviceGames   = 32 // games that a worker plays at once
	deviceWorkers = 2  // workers in place of each other worker
)

// onDevice reports whether the network of a player is on a device, which all workers share.
func (m *Match) onDevice() bool {
	return slices.ContainsFunc(m.Players, func(f player.Factory) bool { return f.Batch > 0 && !f.Alone() })
}

// Progress is the current state of a match.
type Progress struct {
	Done, Games int
	Players     []WDL       // results of each player, on all of its seats
	SPRT        *SPRTReport // nil without a test
}

// String returns the current score: the first player's results if there are two players, and
// otherwise the wins of each player.
func (p Progress) String() string {
	test := ""
	if p.SPRT != nil {
		test = ", LLR " + decimal.Signed(p.SPRT.LLR, 2)
	}
	if len(p.Players) == 0 {
		return ""
	}
	if a := p.Players[0]; len(p.Players) == 2 {
		return fmt.Sprintf("won %d, drawn %d, lost %d%s", a.Wins, a.Draws, a.Losses, test)
	}
	wins := make([]string, len(p.Players))
	for i, t := range p.Players {
		wins[i] = strconv.Itoa(t.Wins)
	}
	return fmt.Sprintf("wins %s%s", strings.Join(wins, ":"), test)
}

// Group returns the number of games from each opening: one for each seating of the
// players.
func (m *Match) Group() int { return len(m.seatings()) }

// RoundUp returns games rounded up to a multiple of Group.
func (m *Match) RoundUp(games int) int {
	group := m.Group()
	return (games + group - 1) / group * group
}

// DefaultGames returns the default number of games of a match: 100, or with a test four times
// the expected number, rounded up to groups.
func (m *Match) DefaultGames() int {
	games := 100
	if m.SPRT != nil {
		games = 4 * m.ExpectedGames().Between
	}
	group := m.Group()
	return min(m.RoundUp(games), MaxGames/group*group)
}

// seatsOf returns the number of seats of each player.
func (m *Match) seatsOf() []int {
	taken := make([]int, len(m.Players))
	for seat := range m.Game.Spec().Players {
		taken[min(seat, len(taken)-1)]++
	}
	return taken
}

// seatings returns all seatings of the players in lexical order. A seating is the
// index of the player on each seat.
func (m *Match) seatings() [][]int {
	seats := m.Game.Spec().Players
	left := m.seatsOf() // by player: seats still to be taken
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

// MayRepeat reports whether most games will repeat earlier ones, because their only randomness
// is a player's choice among equal actions.
func (m *Match) MayRepeat() bool {
	return m.Opening == 0 && len(m.Starts) < m.Games/m.Group() && !slices.ContainsFunc(m.Players, func(p player.Factory) bool {
		return p.Kind == player.Random || p.Kind == player.MCTS || p.Temperature > 0
	})
}

// Validate reports all faults of the match.
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
		f.Check(m.Games >= group && m.Games <= MaxGames && m.Games%group == 0, "games", m.Games,
			fmt.Sprintf("%d to %d, a multiple of %d, because each opening is played with every seating", group, MaxGames, group))
	}
	for i, p := range m.Players {
		if p.New == nil {
			f.Add(fmt.Errorf("player %d is missing", i+1))
		}
		if p.Clock.Limits() && m.Clock.Now == nil && m.Elsewhere == nil {
			f.Add(fmt.Errorf("player %d has a time control, but the match has no clock", i+1))
		}
	}
	f.Check(m.Workers >= 1 || m.Elsewhere != nil, "workers", m.Workers, "at least 1")
	f.Check(m.Opening >= 0 && m.Opening <= spec.MaxPlies, "opening", m.Opening,
		fmt.Sprintf("0 to %d random actions, as no game is longer", spec.MaxPlies))
	for i := range m.Starts {
		f.Section(fmt.Sprintf("starts[%d]", i), m.Starts[i].check(m.Game))
		f.Check(m.Adjudication.MaxPlies == 0 || m.Adjudication.MaxPlies > len(m.Starts[i].Moves)+m.Opening, "max plies", m.Adjudication.MaxPlies,
			fmt.Sprintf("more than the length of opening %d", i+1))
	}
	f.Check(m.Adjudication.MaxPlies == 0 || m.Adjudication.MaxPlies > m.Opening, "max plies", m.Adjudication.MaxPlies,
		fmt.Sprintf("more than the opening's %d random actions", m.Opening))
	f.Section("adjudication", m.Adjudication.Validate())
	if m.SPRT != nil {
		f.Section("sprt", m.SPRT.Validate())
	}
	if err := f.Err(); err != nil {
		return fmt.Errorf("arena: match: %w", err)
	}
	return nil
}

// Play plays the match and waits for all of its goroutines. If ctx ends first or a player
// fails, it returns the error and a report on the finished games.
func Play(ctx context.Context, m Match) (Report, error) {
	if err := m.Validate(); err != nil {
		return Report{}, err
	}
	if m.Elsewhere != nil {
		reports, err := PlayAll(ctx, []Match{m})
		if len(reports) == 0 {
			return Report{}, err
		}
		return reports[0], err
	}
	c := newCollection(&m)
	open := c.open()
	if ctx.Err() != nil || len(open) == 0 {
		return c.report(ctx, nil)
	}
	var workers []*worker
	count := m.Workers
	if m.onDevice() && m.AtOnce() > 1 {
		count *= deviceWorkers
	}
	count = min(count, len(open))
	slots := min(m.AtOnce(), (len(open)+count-1)/count)
	for range count {
		w, err := newWorker(&m, slots)
		workers = append(workers, w)
		if err != nil {
			return Report{}, errors.Join(fmt.Errorf("arena: make the players: %w", err), closeAll(workers))
		}
	}
	err := c.collect(ctx, workers, open)
	if closing := closeAll(workers); closing != nil && err == nil {
		err = fmt.Errorf("arena: close a player: %w", closing)
	}
	return c.report(ctx, err)
}

// collect lets the workers play the games with the given numbers, until the test is decided, a game
// fails or ctx ends.
func (c *collection) collect(ctx context.Context, workers []*worker, numbers []int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var one sync.Mutex // guards c
	var taken atomic.Int64
	var running sync.WaitGroup
	next := func(bool) (number int, ok bool) {
		if i := int(taken.Add(1)) - 1; i < len(numbers) && ctx.Err() == nil {
			return numbers[i], true
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
			defer c.match.Clock.Hold()()
			w.play(ctx, next, done)
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
