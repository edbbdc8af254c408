package clock

import (
	"errors"
	"fmt"
	"time"
)

// Game holds the clocks of all seats of a game. It is for one goroutine at a time.
type Game struct {
	now     func() time.Time
	seats   []Seat
	turn    int       // seat whose clock was started last
	started time.Time // of that clock
}

// ErrOver is wrapped by the error of Stop.
var ErrOver = errors.New("loss on time")

// NewGame returns the clocks for controls by seat. A seat without a control may think forever.
// now is not called if there are no controls.
func NewGame(now func() time.Time, controls []Control) *Game {
	g := &Game{now: now}
	for _, c := range controls {
		g.seats = append(g.seats, NewSeat(c))
	}
	return g
}

// Limited reports whether a seat has a control.
func (g *Game) Limited(seat int) bool { return g.seats[seat].Limits() }

// Start starts the clock of a seat.
func (g *Game) Start(seat int) {
	g.turn = seat
	g.Restart()
}

// Restart starts the running clock again: the time since Start does not count. Players call it
// after preparations that are not theirs, such as the start of a program.
func (g *Game) Restart() {
	if g.Limited(g.turn) {
		g.started = g.now()
	}
}

// Started returns the time at which the running clock was started.
func (g *Game) Started() time.Time { return g.started }

// Turn returns the seat whose clock was started last.
func (g *Game) Turn() int { return g.turn }

// Stop stops the running clock. It returns an error that wraps ErrOver if the time of its seat
// is over.
func (g *Game) Stop() error {
	s := &g.seats[g.turn]
	if !s.Limits() {
		return nil
	}
	spent, left := g.now().Sub(g.started), s.left
	if s.Spend(spent) {
		return nil
	}
	return fmt.Errorf("%w: %v used, %v left (%s)", ErrOver, spent.Round(100*time.Microsecond), left.Round(100*time.Microsecond), s.Control)
}

// EndTurn adds the time for the finished move to the clock that was stopped last.
func (g *Game) EndTurn() { g.seats[g.turn].EndTurn() }

// Seats returns the clocks by seat. The caller must not change them.
func (g *Game) Seats() []Seat { return g.seats }
