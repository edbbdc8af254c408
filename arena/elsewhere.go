package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Gameplayer plays games of matches, for example on other machines. Whoever plays them,
// they must be the games that Play plays by itself.
type Gameplayer interface {
	// PlayGames has games played until all are taken, or no more are wanted. It returns
	// an error if that is not to be, and that of ctx should it end first.
	PlayGames(ctx context.Context, games []Wanted) error
}

// NoneNow is what PlayNumbers may be given as a number.
const NoneNow = -1

// PlayNumbers plays games of the match on the calling goroutine, atOnce at a time if its
// players allow that, until next returns none, and passes each to done. Next returns the
// number of a game, false if there are no more, and NoneNow if there may be some later,
// but not if it is to wait.
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

// Wanted are games of a match that are to be played elsewhere. Its functions are called
// by one goroutine at a time.
type Wanted struct {
	Match Match
	Games []int // their numbers

	// Take takes one of them that is finished and has passed Match.Check, and reports
	// whether more are wanted.
	Take func(GameRecord) (more bool)
}

// PlayElsewhere is Play of several matches by somebody else, who may play their games all
// at the same time.
func PlayElsewhere(ctx context.Context, by Gameplayer, matches []Match) ([]Report, error) {
	matches = slices.Clone(matches)
	all, wanted := make([]*collection, len(matches)), []Wanted{}
	var one sync.Mutex // held while a game is counted
	for i := range matches {
		m := &matches[i]
		m.Elsewhere = by
		if err := m.Validate(); err != nil {
			return nil, err
		}
		all[i] = newCollection(m)
		if open := all[i].open(); len(open) > 0 {
			wanted = append(wanted, all[i].wanted(ctx, &one, open))
		}
	}
	var err error
	if len(wanted) > 0 {
		err = by.PlayGames(ctx, wanted)
	}
	one.Lock()
	defer one.Unlock()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil // the reports say it in their own words
	}
	reports, faults := make([]Report, len(all)), make([]error, len(all))
	for i, c := range all {
		reports[i], faults[i] = c.report(ctx, cmp.Or(c.err, err))
	}
	return reports, cmp.Or(faults...)
}

// wanted returns the games that are to be played elsewhere. The lock is held while they
// are taken.
func (c *collection) wanted(ctx context.Context, one *sync.Mutex, games []int) Wanted {
	return Wanted{
		Match: *c.match, Games: games,
		Take: func(r GameRecord) bool {
			one.Lock()
			defer one.Unlock()
			return c.take(ctx, r, nil)
		},
	}
}

// open returns the numbers of the games that are missing, none if the match is over.
func (c *collection) open() (numbers []int) {
	if c.decided || c.err != nil {
		return nil
	}
	there := map[int]bool{}
	for _, r := range c.records {
		there[r.Number] = true
	}
	for number := range c.match.Games {
		if !there[number] {
			numbers = append(numbers, number)
		}
	}
	return numbers
}
