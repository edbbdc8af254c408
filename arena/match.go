package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"tiro/env"
)

// Match says who meets whom, how often and how.
type Match struct {
	Game    env.Game
	A, B    Maker
	Games   int    // a multiple of the number of seats
	Seed    uint64 // decides everything random
	Workers int    // goroutines; the report does not depend on it
	Opening int    // random actions at the start, the same for all games of a group; fewer where the game would be over

	// Progress, if set, is called after every game, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a match has come.
type Progress struct {
	Done, Games int
	A           Tally // of A, over all seats
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
	if m.A == nil || m.B == nil {
		fault("a player is missing")
	}
	if seats := m.Game.Spec().Players; m.Games < seats || m.Games%seats != 0 {
		fault("games %d; want a multiple of %d, because each opening is played from every seat", m.Games, seats)
	}
	if m.Workers < 1 {
		fault("workers %d; want at least 1", m.Workers)
	}
	if m.Opening < 0 {
		fault("opening %d; want 0 or more random actions", m.Opening)
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
	p := Progress{Games: m.Games}
	for o := range outcomes {
		switch {
		case o.err == nil:
			c.records = append(c.records, o.record)
			p.Done++
			p.A.add(o.record.Result[o.record.Seat])
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
