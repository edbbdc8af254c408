package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"tiro/env"
)

// Match says who meets whom, how often and how.
type Match struct {
	Game    env.Game
	Players []Maker // 2 or more, at most one a seat; the last one takes all the seats that are left
	Games   int     // a multiple of Group
	Seed    uint64  // decides everything random
	Workers int     // goroutines; the report does not depend on it
	Opening int     // random actions at the start, the same for all games of a group, at most the game's MaxPlies; fewer where the game would be over

	Adjudication Adjudication // what ends a game besides its rules

	// Progress, if set, is called after every game, by one goroutine at a time,
	// and may look at what it is given until it returns.
	Progress func(Progress)
}

// Progress is how far a match has come.
type Progress struct {
	Done, Games int
	Players     []Tally // of each player, over all of its seats
}

// Group returns how many games are played from each opening: one for every way
// to seat the players.
func (m Match) Group() int { return len(m.seatings()) }

// seatings returns every way to seat the players: for each seat, the number of
// the player on it, in lexical order.
func (m Match) seatings() [][]int {
	seating := make([]int, m.Game.Spec().Players)
	for seat := range seating {
		seating[seat] = min(seat, len(m.Players)-1)
	}
	all := [][]int{slices.Clone(seating)}
	for permute(seating) {
		all = append(all, slices.Clone(seating))
	}
	return all
}

// permute turns p into the permutation that comes next in lexical order (Knuth,
// The Art of Computer Programming, algorithm 7.2.1.2L), which leaves equal
// numbers alone. It reports whether there was one.
func permute(p []int) bool {
	i := len(p) - 2
	for i >= 0 && p[i] >= p[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(p) - 1
	for p[j] <= p[i] {
		j--
	}
	p[i], p[j] = p[j], p[i]
	slices.Reverse(p[i+1:])
	return true
}

// Validate reports everything that is wrong with the match.
func (m Match) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("arena: match: "+format, args...))
	}
	if m.Game == nil {
		return errors.New("arena: match: no game")
	}
	if seats := m.Game.Spec().Players; len(m.Players) < 2 || len(m.Players) > seats {
		fault("%d players; want 2 to %d, as many as there are seats", len(m.Players), seats)
	} else if group := m.Group(); m.Games < group || m.Games%group != 0 {
		fault("games %d; want a multiple of %d, because each opening is played from every seat", m.Games, group)
	}
	for i, maker := range m.Players {
		if maker == nil {
			fault("player %d is missing", i+1)
		}
	}
	if m.Workers < 1 {
		fault("workers %d; want at least 1", m.Workers)
	}
	if plies := m.Game.Spec().MaxPlies; m.Opening < 0 || m.Opening > plies {
		fault("opening %d; want 0 to %d random actions, as no game is longer", m.Opening, plies)
	}
	if err := m.Adjudication.Validate(); err != nil {
		fault("%w", err)
	}
	return errors.Join(faults...)
}

// Play plays the match and waits for all of its goroutines. If ctx ends first,
// or a player fails, the report holds the games that were finished, and the
// error says why there are not more.
func Play(ctx context.Context, m Match) (Report, error) {
	if err := m.Validate(); err != nil {
		return Report{}, err
	}
	tables, err := m.tables()
	if err != nil {
		return Report{}, err
	}
	c := m.collect(ctx, tables)
	if err := closeAll(tables); err != nil && c.err == nil {
		c.err = fmt.Errorf("arena: close a player: %w", err)
	}
	report := newReport(m, tables[0], c.records)
	if c.err == nil && ctx.Err() != nil && report.Games < m.Games {
		c.err = fmt.Errorf("arena: match stopped after %d of %d games: %w", report.Games, m.Games, ctx.Err())
	}
	return report, c.err
}

// tables makes the players of every worker.
func (m Match) tables() ([]*table, error) {
	var tables []*table
	for range min(m.Workers, m.Games) {
		t, err := newTable(m)
		tables = append(tables, t)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("arena: make the players: %w", err), closeAll(tables))
		}
	}
	return tables, nil
}

// collection gathers what the workers send.
type collection struct {
	records []Record // in any order
	err     error    // of the first game, by number, that failed
	failed  int      // its number
}

// outcome is what a worker says of a game.
type outcome struct {
	record Record
	err    error
}

// collect has the workers play all games, or until one fails or ctx ends.
func (m Match) collect(ctx context.Context, tables []*table) collection {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	outcomes := make(chan outcome)
	var next atomic.Int64
	var workers sync.WaitGroup
	for _, t := range tables {
		workers.Go(func() {
			for ctx.Err() == nil {
				number := int(next.Add(1)) - 1
				if number >= m.Games {
					return
				}
				record, err := t.game(ctx, number)
				outcomes <- outcome{record, err}
			}
		})
	}
	go func() {
		workers.Wait()
		close(outcomes)
	}()

	var c collection
	p := Progress{Games: m.Games, Players: make([]Tally, len(m.Players))}
	for o := range outcomes {
		switch {
		case o.err == nil:
			c.records = append(c.records, o.record)
			p.Done++
			for seat, payoff := range o.record.Result {
				p.Players[o.record.player(seat)].add(payoff)
			}
			if m.Progress != nil {
				m.Progress(p)
			}
		case ctx.Err() != nil && errors.Is(o.err, ctx.Err()):
			// Not a failure: the game was broken off.
		case c.err == nil || o.record.Number < c.failed:
			c.err, c.failed = o.err, o.record.Number
			cancel()
		}
	}
	return c
}

func closeAll(tables []*table) error {
	var faults []error
	for _, t := range tables {
		faults = append(faults, t.close())
	}
	return errors.Join(faults...)
}

// closePlayer closes a player that wants it.
func closePlayer(p Player) error {
	if c, ok := p.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
