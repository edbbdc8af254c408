package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Gameplayer plays games of matches, for example on other machines. The games must be the
// same that Play would play.
type Gameplayer interface {
	// PlayGames plays games until all are taken or no more are wanted. It returns an error
	// if that is impossible, and ctx's error if ctx ends first.
	PlayGames(ctx context.Context, games []Wanted) error
}

// NoneNow is a number that the function next of PlayNumbers returns if there is currently no
// game to play.
const NoneNow = -1

// PlayNumbers plays games of the match on the calling goroutine and passes each to done. It
// plays up to atOnce games at a time if its players allow that. next returns the number of a
// game, or false if there are no more. If wait is false, it may also return NoneNow.
func (m *Match) PlayNumbers(ctx context.Context, atOnce int, next func(wait bool) (number int, ok bool), done func(GameRecord) error) error {
	w, err := newWorker(m, min(atOnce, m.AtOnce()))
	if err != nil {
		return errors.Join(fmt.Errorf("arena: make the players: %w", err), w.close())
	}
	defer m.Clock.Hold()()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.play(ctx, func(wait bool) (int, bool) {
		if ctx.Err() != nil {
			return 0, false
		}
		return next(wait)
	}, func(r GameRecord, fault error) {
		if fault == nil {
			fault = done(r)
		}
		if fault != nil {
			cancel(fault)
		}
	})
	return errors.Join(context.Cause(ctx), w.close())
}

// Wanted describes games of a match for a Gameplayer. Its functions are called by one
// goroutine at a time.
type Wanted struct {
	Match Match
	Games []int // numbers of the games, ascending

	// Take receives a finished game that has passed Match.Check, and reports whether more
	// are wanted.
	Take func(GameRecord) (more bool)
}

// PlayAll plays matches with the same Elsewhere: one after the other or, if that is set, possibly
// all at the same time. It stops at the first error.
func PlayAll(ctx context.Context, matches []Match) (reports []Report, err error) {
	if len(matches) > 0 && matches[0].Elsewhere != nil {
		return playElsewhere(ctx, matches)
	}
	for i := 0; i < len(matches) && err == nil; i++ {
		var r Report
		r, err = Play(ctx, matches[i])
		reports = append(reports, r)
	}
	return reports, err
}

func playElsewhere(ctx context.Context, matches []Match) ([]Report, error) {
	matches = slices.Clone(matches)
	all, wanted := make([]*collection, len(matches)), []Wanted{}
	var one sync.Mutex // guards the collections
	for i := range matches {
		m := &matches[i]
		if err := m.Validate(); err != nil {
			return nil, err
		}
		c := newCollection(m)
		all[i] = c
		take := func(r GameRecord) bool {
			one.Lock()
			defer one.Unlock()
			return c.take(ctx, r, nil)
		}
		if open := c.open(); len(open) > 0 {
			wanted = append(wanted, Wanted{*m, open, take})
		}
	}
	var err error
	if len(wanted) > 0 {
		err = matches[0].Elsewhere.PlayGames(ctx, wanted)
	}
	one.Lock()
	defer one.Unlock()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil // the reports return this error
	}
	reports, faults := make([]Report, len(all)), make([]error, len(all))
	for i, c := range all {
		reports[i], faults[i] = c.report(ctx, cmp.Or(c.err, err))
	}
	return reports, cmp.Or(faults...)
}

// open returns the numbers of the missing games, nil if the match is over.
func (c *collection) open() (numbers []int) {
	if c.decided || c.err != nil {
		return nil
	}
	for number := range c.match.Games {
		if !c.known[number] {
			numbers = append(numbers, number)
		}
	}
	return numbers
}
