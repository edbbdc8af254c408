package player

import (
	"fmt"
	"runtime"
	"time"
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

// check returns an error if the clock cannot measure the budget.
func (c Clock) check(b Budget) error {
	switch {
	case b.Timed() && c.Now == nil:
		return fmt.Errorf("%s: a budget of time cannot be used here, because the result could not be reproduced", b)
	case b.CPU > 0 && c.CPU == nil:
		return fmt.Errorf("%s: CPU time cannot be measured on this system; use time=%s", b, b.CPU)
	}
	return nil
}

// timeLimit is a Budget with its clock. It limits nothing if the budget is not a time.
type timeLimit struct {
	budget Budget
	clock  Clock
}

// start begins a move. It returns a function over that reports whether the move's time
// is over, and a function end for the caller to call after the move. Until then, the
// goroutine may be kept on one thread.
func (l timeLimit) start() (over func() bool, end func()) {
	switch {
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
