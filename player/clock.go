package player

import (
	"fmt"
	"runtime"
	"time"
)

// Clock measures time. Each function may be nil: then that time is not known.
type Clock struct {
	Now func() time.Time
	CPU func() time.Duration // CPU time of the calling thread so far
}

// Hold keeps the goroutine on one thread, if the clock knows CPU time, until release
// is called.
func (c Clock) Hold() (release func()) {
	if c.CPU == nil {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// Read returns both times, 0 for one that is not known.
func (c Clock) Read() (now time.Time, cpu time.Duration) {
	if c.Now != nil {
		now = c.Now()
	}
	if c.CPU != nil {
		cpu = c.CPU()
	}
	return now, cpu
}

// check returns an error if the clock does not know the time of a budget.
func (c Clock) check(b Budget) error {
	switch {
	case b.Timed() && c.Now == nil:
		return fmt.Errorf("%s: a budget of time cannot be used here, because the result would not be the same again", b)
	case b.CPU > 0 && c.CPU == nil:
		return fmt.Errorf("%s: the CPU time of a thread is not known on this system; use time=%s", b, b.CPU)
	}
	return nil
}

// timeLimit is a Budget of time, or none, with its clock.
type timeLimit struct {
	budget Budget
	clock  Clock
}

// start begins a move. It returns a function that reports whether the time of the
// move is over, and one to be called at its end: until then, the goroutine may be
// kept on one thread.
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
