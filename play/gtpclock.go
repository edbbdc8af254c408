package play

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"tiro/env"
)

// gtpClock is the time that GTP gives each player.
type gtpClock struct {
	limited bool
	main    time.Duration // of a game
	period  time.Duration // after it, for a number of moves
	moves   int           // 0: there is none
	seats   [env.MaxPlayers]gtpTime
}

// gtpTime is the time that is left to a player.
type gtpTime struct {
	left  time.Duration
	moves int // to be played in it; 0: it is main time
}

// begin gives all players the time of a new game.
func (c *gtpClock) begin() {
	c.limited = c.moves > 0 || c.main > 0 // not by a time_left of the last game alone
	for seat := range c.seats {
		c.seats[seat] = gtpTime{left: c.main}
	}
}

// limits returns the limits of the search for a move: without a clock, nodes.
func (c *gtpClock) limits(seat env.Player, nodes int) limits {
	t := c.seats[seat]
	switch {
	case !c.limited:
		return limits{nodes: nodes}
	case t.moves > 0:
		return limits{duration: turnTime(0, t.left/time.Duration(t.moves))}
	case c.moves > 0:
		return limits{duration: turnTime(t.left, c.period/time.Duration(c.moves))}
	}
	return limits{duration: turnTime(t.left, 0)}
}

// spend counts the time of a move.
func (c *gtpClock) spend(seat env.Player, d time.Duration) {
	t := &c.seats[seat]
	t.left = max(0, t.left-d)
	switch {
	case c.moves == 0, t.moves == 0 && t.left > 0:
	case t.moves > 1:
		t.moves--
	default:
		*t = gtpTime{c.period, c.moves}
	}
}

// set sets the clock of all players: seconds for a game, then for each number of moves.
func (c *gtpClock) set(main, period, moves int) {
	*c = gtpClock{main: seconds(main), period: seconds(period), moves: moves}
	switch {
	case period == 0:
		c.moves = 0
	case moves == 0: // no limit, in GTP
		*c = gtpClock{}
	}
	c.begin()
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// numbers returns n whole numbers that are not negative.
func numbers(args []string, n int) ([]int, error) {
	if len(args) != n {
		return nil, errSyntax
	}
	all := make([]int, n)
	for i, text := range args {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0) {
			return nil, errSyntax
		}
		all[i] = int(min(x, math.MaxInt32))
	}
	return all, nil
}

// timeSettings executes time_settings MAIN BYO_YOMI_TIME BYO_YOMI_STONES.
func (g *gtpEngine) timeSettings(_ context.Context, args []string) (string, error) {
	n, err := numbers(args, 3)
	if err == nil {
		g.clock.set(n[0], n[1], n[2])
	}
	return "", err
}

// kgsTimeSettings executes kgs-time_settings none, absolute MAIN, byoyomi MAIN PERIOD
// PERIODS or canadian MAIN TIME STONES.
func (g *gtpEngine) kgsTimeSettings(_ context.Context, args []string) (string, error) {
	if len(args) == 0 {
		return "", errSyntax
	}
	kind, args := args[0], args[1:]
	want, ok := map[string]int{"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}[kind]
	if !ok {
		return "", fmt.Errorf("%w: unknown time system %q", errSyntax, clip(kind))
	}
	n, err := numbers(args, want)
	switch {
	case err != nil:
		return "", err
	case kind == "none":
		g.clock = gtpClock{}
	case kind == "absolute":
		g.clock.set(n[0], 0, 0)
	case kind == "byoyomi":
		g.clock.set(n[0], n[1], 1)
	default:
		g.clock.set(n[0], n[1], n[2])
	}
	return "", nil
}

// timeLeft executes time_left COLOUR TIME STONES.
func (g *gtpEngine) timeLeft(_ context.Context, args []string) (string, error) {
	if len(args) != 3 {
		return "", errSyntax
	}
	seat, err := g.seat(args[0])
	if err != nil {
		return "", err
	}
	n, err := numbers(args[1:], 2)
	if err != nil {
		return "", err
	}
	g.clock.limited = true
	g.clock.seats[seat] = gtpTime{seconds(n[0]), n[1]}
	return "", nil
}
