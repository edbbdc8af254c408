package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// collection holds the finished games of a match.
type collection struct {
	match    *Match
	known    map[int]bool // numbers of the match's Finished games
	test     *orderedTest // nil without a test
	records  []GameRecord
	progress Progress
	decided  bool // whether the test is decided

	err    error // error of the failed game with the lowest number
	failed int   // number of that game
}

func newCollection(m *Match) *collection {
	c := &collection{match: m, known: map[int]bool{}, test: newOrderedTest(m), failed: m.Games}
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

func (c *collection) add(r GameRecord) {
	c.records = append(c.records, r)
	c.progress.Done++
	for seat, payoff := range r.Result {
		c.progress.Players[r.Seating[seat]].add(payoff)
	}
	c.decided = c.test.add(r)
}

// settle removes the games after the verdict and reports the progress.
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

// take adds a finished game, or records the fault that ended it, and reports whether the match
// continues.
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
	if fault != nil && r.Number < c.failed && (ctx.Err() == nil || !errors.Is(fault, ctx.Err())) { // otherwise the game was cancelled
		c.err, c.failed = fault, r.Number
	}
	return c.err == nil && !c.decided
}

// report returns the report on the finished games, and an error if games are missing.
func (c *collection) report(ctx context.Context, err error) (Report, error) {
	report := newReport(c.match, c.records)
	if c.test != nil {
		report.SPRT, report.Verdict = c.test.report(), c.test.verdict
	}
	if err == nil && ctx.Err() != nil && !c.decided && report.Games < c.match.Games {
		err = fmt.Errorf("arena: match stopped after %d of %d games: %w", report.Games, c.match.Games, ctx.Err())
	}
	return report, err
}
