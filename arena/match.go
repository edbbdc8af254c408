package arena

import (
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

	// Opening is the number of random actions at the start of a game, the same
	// for all games of a group, at most the game's MaxPlies. An opening is
	// shorter where all that were drawn ended the game.
	Opening int

	Adjudication Adjudication

	// Clock measures what the players take. The games and the report's JSON do not
	// depend on it.
	Clock Clock

	// Progress, if set, is called after every game, by one goroutine at a time.
	// It must not keep what it is given.
	Progress func(Progress)
}

// Progress is how far a match has come.
type Progress struct {
	Done, Games int
	Players     []WDL // of each player, on all of its seats
}

// String says how the match stands; of two players, for the first.
func (p Progress) String() string {
	if a := p.Players[0]; len(p.Players) == 2 {
		return fmt.Sprintf("(+%d =%d -%d)", a.Wins, a.Draws, a.Losses)
	}
	wins := make([]string, len(p.Players))
	for i, t := range p.Players {
		wins[i] = strconv.Itoa(t.Wins)
	}
	return fmt.Sprintf("(wins %s)", strings.Join(wins, ":"))
}

// Group returns the number of games played from each opening: one for every way
// to seat the players.
func (m *Match) Group() int { return len(m.seatings()) }

// RoundUp returns games rounded up to a multiple of Group.
func (m *Match) RoundUp(games int) int {
	group := m.Group()
	return (games + group - 1) / group * group
}

// seatings returns every way to seat the players: for each seat, the index of
// the player on it, in lexical order.
func (m *Match) seatings() [][]int {
	seats := m.Game.Spec().Players
	left := make([]int, len(m.Players)) // by player: seats that it has yet to take
	for seat := range seats {
		left[min(seat, len(left)-1)]++
	}
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
	f.Check(m.Opening >= 0 && m.Opening <= spec.MaxPlies, "opening", m.Opening,
		fmt.Sprintf("0 to %d random actions, as no game is longer", spec.MaxPlies))
	f.Section("adjudication", m.Adjudication.Validate())
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
	for range min(m.Workers, m.Games) {
		w, err := newWorker(&m)
		workers = append(workers, w)
		if err != nil {
			return Report{}, errors.Join(fmt.Errorf("arena: make the players: %w", err), closeAll(workers))
		}
	}
	records, err := collect(ctx, &m, workers)
	if closing := closeAll(workers); closing != nil && err == nil {
		err = fmt.Errorf("arena: close a player: %w", closing)
	}
	report := newReport(&m, workers[0].first(), records)
	if err == nil && ctx.Err() != nil && report.Games < m.Games {
		err = fmt.Errorf("arena: match stopped after %d of %d games: %w", report.Games, m.Games, ctx.Err())
	}
	return report, err
}

// collect has the workers play all games, or until one fails or ctx ends. It
// returns the finished games in any order, and the error of the failed game with
// the lowest number.
func collect(ctx context.Context, m *Match, workers []*worker) (records []GameRecord, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := Progress{Games: m.Games, Players: make([]WDL, len(m.Players))}
	failed := m.Games  // number of the failed game
	var one sync.Mutex // held while a game is counted
	count := func(r GameRecord, fault error) {
		one.Lock()
		defer one.Unlock()
		switch {
		case fault == nil:
			records = append(records, r)
			p.Done++
			for seat, payoff := range r.Result {
				p.Players[r.Seating[seat]].add(payoff)
			}
			if m.Progress != nil {
				m.Progress(p)
			}
		case ctx.Err() != nil && errors.Is(fault, ctx.Err()):
			// The game was broken off, which is no failure.
		case r.Number < failed:
			err, failed = fault, r.Number
			cancel()
		}
	}
	var next atomic.Int64
	var running sync.WaitGroup
	for _, w := range workers {
		running.Go(func() {
			defer m.Clock.hold()()
			for number := int(next.Add(1)) - 1; number < m.Games && ctx.Err() == nil; number = int(next.Add(1)) - 1 {
				count(w.game(ctx, number))
			}
		})
	}
	running.Wait()
	return records, err
}

func closeAll(workers []*worker) error {
	var errs []error
	for _, w := range workers {
		for _, p := range slices.Concat(w.players...) {
			errs = append(errs, closePlayer(p))
		}
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
