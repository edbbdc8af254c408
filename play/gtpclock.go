package play

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"tiro/env"
	"tiro/player/clock"
)

// gtpClock is the time that GTP gives each player.
type gtpClock struct {
	control clock.Control
	seats   [env.MaxPlayers]clock.Seat
	limited [env.MaxPlayers]bool // by the control or by time_left
}

// begin gives all players the time of a new game.
func (c *gtpClock) begin() {
	for seat := range c.seats {
		c.seats[seat] = clock.NewSeat(c.control)
		c.limited[seat] = c.control.Limits() // not by a time_left of the last game alone
	}
}

// limits returns the limits of the search for a move: without a clock, nodes.
func (c *gtpClock) limits(seat env.Player, nodes int) limits {
	if !c.limited[seat] {
		return limits{nodes: nodes}
	}
	return limits{timed: true, time: c.seats[seat].Time()}
}

// spend counts the time of a move.
func (c *gtpClock) spend(seat env.Player, d time.Duration) {
	c.seats[seat].Spend(d)
	c.seats[seat].EndTurn()
}

// set sets the time control of all players.
func (c *gtpClock) set(control clock.Control) {
	c.control = control
	c.begin()
}

// overtime returns the control with a main time, then a time for each number of moves.
func overtime(main, period time.Duration, moves int) clock.Control {
	switch {
	case period == 0:
		return clock.Control{Main: main}
	case moves == 0: // no limit, in GTP
		return clock.Control{}
	}
	return clock.Control{Main: main, Overtime: period, Stones: moves}
}

// numbers parses numbers that are not negative.
func numbers(args []string) (all []float64, err error) {
	for _, text := range args {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0) {
			return nil, errSyntax
		}
		all = append(all, min(x, math.MaxInt32))
	}
	return all, nil
}

func seconds(x float64) time.Duration { return time.Duration(x * float64(time.Second)) }

// timeSettings executes the commands that set the time control: none, absolute MAIN, byoyomi
// MAIN PERIOD PERIODS, canadian MAIN TIME STONES or fischer MAIN INCREMENT. time_settings is
// canadian.
func (g *gtpEngine) timeSettings(args []string) (string, error) {
	if len(args) == 0 {
		return "", errSyntax
	}
	n, err := numbers(args[1:])
	if err != nil {
		return "", err
	}
	var c clock.Control
	switch kind := args[0]; {
	case kind == "none" && len(n) == 0:
	case kind == "absolute" && len(n) == 1:
		c.Main = seconds(n[0])
	case kind == "byoyomi" && len(n) == 3:
		c = overtime(seconds(n[0]), seconds(n[1]), 1)
	case kind == "canadian" && len(n) == 3:
		c = overtime(seconds(n[0]), seconds(n[1]), int(n[2]))
	case kind == "fischer" && len(n) == 2:
		c.Main, c.Increment = seconds(n[0]), seconds(n[1])
	default:
		return "", fmt.Errorf("%w: time system %q with %s", errSyntax, clip(kind), env.Plural(len(n), "number"))
	}
	g.clock.set(c)
	return "", nil
}

// timeLeft executes time_left COLOUR TIME STONES, in byo-yomi time_left COLOUR TIME PERIODS.
func (g *gtpEngine) timeLeft(args []string) (string, error) {
	seat, err := g.seat(args[0])
	if err != nil {
		return "", err
	}
	n, err := numbers(args[1:])
	if err != nil {
		return "", err
	}
	moves := int(n[1])
	if g.clock.control.Stones == 1 { // byo-yomi, whose number is of periods
		moves = min(moves, 1)
	}
	g.clock.limited[seat] = true
	g.clock.seats[seat].Set(seconds(n[0]), moves)
	return "", nil
}
