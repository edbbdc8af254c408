package arena

import (
	"fmt"
	"runtime"
	"time"
)

// Clock tells how much time passes. Each function may be nil: then that time is not
// known.
type Clock struct {
	Now func() time.Time
	CPU func() time.Duration // CPU time of the calling thread so far
}

// hold keeps the goroutine on one thread, if the clock knows CPU time, until release
// is called.
func (c Clock) hold() (release func()) {
	if c.CPU == nil {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// check returns an error if the clock does not know the time of a budget.
func (c Clock) check(b Budget) error {
	switch {
	case b.timed() && c.Now == nil:
		return fmt.Errorf("%s: there is no clock here; want sims=N or macs=N, with which the result is the same again", b)
	case b.CPU > 0 && c.CPU == nil:
		return fmt.Errorf("%s: this system does not tell the CPU time of a thread; want time=%s", b, b.CPU)
	}
	return nil
}

// TimeLimit is a Budget of time, or none, with its clock.
type TimeLimit struct {
	Budget Budget
	Clock  Clock
}

// String returns the limit as a setting of a player.
func (l TimeLimit) String() string { return l.Budget.String() }

// start begins a move. It returns a function that reports whether the time of the
// move is over, and one to be called at its end: until then, the goroutine may be
// kept on one thread.
func (l TimeLimit) start() (over func() bool, end func()) {
	switch {
	case l.Budget.Time > 0:
		until := l.Clock.Now().Add(l.Budget.Time)
		return func() bool { return !l.Clock.Now().Before(until) }, func() {}
	case l.Budget.CPU > 0:
		end = l.Clock.hold()
		until := l.Clock.CPU() + l.Budget.CPU
		return func() bool { return l.Clock.CPU() >= until }, end
	}
	return func() bool { return false }, func() {}
}
