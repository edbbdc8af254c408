package player

import (
	"fmt"
	"runtime"
	"time"

	"tiro/player/clock"
)

// Clock measures time. A function is nil if its time is unknown.
type Clock struct {
	Now func() time.Time
	CPU func() time.Duration // CPU time of the calling thread so far
}

// Hold keeps the goroutine on one thread until release is called, if the clock measures CPU
// time.
func (c Clock) Hold() (release func()) {
	if c.CPU == nil {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// Read returns both times. An unknown time is 0.
func (c Clock) Read() (now time.Time, cpu time.Duration) {
	if c.Now != nil {
		now = c.Now()
	}
	if c.CPU != nil {
		cpu = c.CPU()
	}
	return now, cpu
}

// check returns an error if the clock cannot measure the limits of s.
func (c Clock) check(s Spec) error {
	switch {
	case s.Clock.Limits() && c.Now == nil:
		return fmt.Errorf("%s: clocks cannot be used here, because the result could not be reproduced", s.Clock)
	case s.Budget.Timed() && c.Now == nil:
		return fmt.Errorf("%s: a budget of time cannot be used here, because the result could not be reproduced", s.Budget)
	case s.Budget.CPU > 0 && c.CPU == nil:
		return fmt.Errorf("%s: CPU time cannot be measured on this system; use time=%s", s.Budget, s.Budget.CPU)
	}
	return nil
}

// Clocked is a Player that learns the clocks of its game.
type Clocked interface {
	// SetClocks begins a turn of the player under the running clock of g. moves is the
	// greatest number of moves that the rules leave to the player.
	SetClocks(g *clock.Game, moves int)
}

// timeLimit is a limit of time for a move. Without a budget of time and a manager it limits
// nothing.
type timeLimit struct {
	budget  Budget
	clock   Clock
	manager *clock.Manager // for play under a clock; may be nil
}

// newTimeLimit returns the limit of a player of s.
func newTimeLimit(s Spec, c Clock) timeLimit {
	l := timeLimit{budget: s.Budget, clock: c}
	if s.Clock.Limits() {
		l.manager = clock.NewManager(c.Now)
	}
	return l
}

// timed reports whether there is a limit.
func (l timeLimit) timed() bool { return l.budget.Timed() || l.manager != nil }

// NewGame implements NewGamer.
func (l timeLimit) NewGame() {
	if l.manager != nil {
		l.manager.NewGame()
	}
}

// SetClocks implements Clocked.
func (l timeLimit) SetClocks(g *clock.Game, moves int) {
	if l.manager != nil {
		l.manager.Begin(g.Started(), g.Seats()[g.Turn()].Time(), moves)
	}
}

// start begins a move. It returns a function over that reports whether the move's time
// is over, and a function end for the caller to call after the move. Until then, the
// goroutine may be kept on one thread. opinion returns the state of the search.
func (l timeLimit) start(opinion func() clock.Opinion) (over func() bool, end func()) {
	switch {
	case l.manager != nil:
		return func() bool { return l.manager.Over(opinion) }, func() {}
	case l.budget.Time > 0:
		until := l.clock.Now().Add(l.budget.Time)
		return func() bool { return !l.clock.Now().Before(until) }, func() {}
	case l.budget.CPU > 0:
		end = l.clock.Hold()
		until := l.clock.CPU() + l.budget.CPU
		return func() bool { return l.clock.CPU() >= until }, end
	}
	return func() bool { return false }, func() {}
}
