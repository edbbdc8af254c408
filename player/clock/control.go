package clock

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Control is a time control. The zero value is none.
type Control struct {
	Main      time.Duration // time for a game, or for Moves moves
	Moves     int           // moves after which Main is added again; 0: never
	Increment time.Duration // time added for each move
	Move      time.Duration // time for each move, in place of Main; unused time is lost

	// In overtime each Stones moves have the time Overtime. It begins when Main is used up,
	// and unused time is lost. Only GTP sets it.
	Overtime time.Duration
	Stones   int

	Margin time.Duration // by which a player may exceed its time
}

// The settings of a control.
const (
	timeControl = "tc"
	moveTime    = "st"
	timeMargin  = "timemargin"
)

// IsKey reports whether key names a setting of Set.
func IsKey(key string) bool { return slices.Contains([]string{timeControl, moveTime, timeMargin}, key) }

// Bounds of a Control.
const (
	maxTime  = 24 * time.Hour
	maxMoves = 10_000
)

const usage = "SECONDS, SECONDS+INCREMENT or MOVES/SECONDS+INCREMENT, such as 10+0.1 or 40/60; SECONDS may be MINUTES:SECONDS"

// Parse parses the value of the setting tc.
func Parse(text string) (c Control, err error) {
	fault := fmt.Errorf("tc %.40q is not a time control (%s; at most 24 hours)", text, usage)
	rest, moved := text, false
	if moves, after, found := strings.Cut(text, "/"); found {
		if c.Moves, err = strconv.Atoi(moves); err != nil || c.Moves < 1 || c.Moves > maxMoves {
			return Control{}, fault
		}
		rest, moved = after, true
	}
	main, increment, more := strings.Cut(rest, "+")
	minutes, part, found := strings.Cut(main, ":")
	if found {
		n, err := strconv.Atoi(minutes)
		if err != nil || n < 0 || n > int(maxTime/time.Minute) {
			return Control{}, fault
		}
		main, c.Main = part, time.Duration(n)*time.Minute
	}
	seconds, ok := parseSeconds(main)
	c.Main += seconds
	if more {
		inner := false
		c.Increment, inner = parseSeconds(increment)
		ok = ok && inner
	}
	if !ok || c.Main > maxTime || c.Main+c.Increment < time.Millisecond || moved && c.Main == 0 {
		return Control{}, fault
	}
	return c, nil
}

// parseSeconds parses a number of seconds. It rounds to whole milliseconds, the unit of the
// protocols.
func parseSeconds(text string) (time.Duration, bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= maxTime.Seconds()) {
		return 0, false
	}
	return time.Duration(math.Round(1000*x)) * time.Millisecond, true
}

// Set sets tc, st or timemargin.
func (c *Control) Set(key, value string) error {
	switch key {
	case timeControl:
		parsed, err := Parse(value)
		if err != nil {
			return err
		}
		parsed.Move, parsed.Margin = c.Move, c.Margin
		*c = parsed
	case moveTime:
		d, ok := parseSeconds(value)
		if !ok || d < time.Millisecond {
			return fmt.Errorf("st %.40q is not a number of seconds for each move, such as 1 or 0.5, from 0.001 to %v", value, maxTime.Seconds())
		}
		c.Move = d
	case timeMargin:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > int(maxTime/time.Millisecond) {
			return fmt.Errorf("timemargin %.40q is not a whole number of milliseconds, such as 50", value)
		}
		c.Margin = time.Duration(n) * time.Millisecond
	default:
		return fmt.Errorf("unknown setting %.40q (tc, st, timemargin)", key)
	}
	return nil
}

// Limits reports whether the control limits the time.
func (c Control) Limits() bool { return c.Main > 0 || c.Increment > 0 || c.Move > 0 || c.Stones > 0 }

// Validate returns an error if the settings contradict each other.
func (c Control) Validate() error {
	switch {
	case c.Move > 0 && (c.Main > 0 || c.Increment > 0):
		return fmt.Errorf("tc=%s and st=%s both set the time; remove one", c.text(), seconds(c.Move))
	case c.Margin > 0 && !c.Limits():
		return errors.New("timemargin requires tc or st")
	case min(c.Main, c.Increment, c.Move, c.Margin, c.Overtime) < 0 || c.Moves < 0 || c.Stones < 0:
		return errors.New("a time control cannot be negative")
	}
	return nil
}

// text returns the value of the setting tc.
func (c Control) text() string {
	text := ""
	if c.Moves > 0 {
		text = strconv.Itoa(c.Moves) + "/"
	}
	text += seconds(c.Main)
	if c.Increment > 0 {
		text += "+" + seconds(c.Increment)
	}
	return text
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// String returns the control as settings of a player, such as "tc=10+0.1,timemargin=50". It is
// empty for no control.
func (c Control) String() string {
	var settings []string
	switch {
	case c.Move > 0:
		settings = append(settings, moveTime+"="+seconds(c.Move))
	case c.Limits():
		settings = append(settings, timeControl+"="+c.text())
	}
	if c.Margin > 0 {
		settings = append(settings, timeMargin+"="+strconv.FormatInt(c.Margin.Milliseconds(), 10))
	}
	return strings.Join(settings, ",")
}

// MarshalText returns String.
func (c Control) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses the text of String.
func (c *Control) UnmarshalText(text []byte) error {
	*c = Control{}
	for setting := range strings.SplitSeq(string(text), ",") {
		key, value, _ := strings.Cut(setting, "=")
		if err := c.Set(key, value); err != nil {
			return err
		}
	}
	return c.Validate()
}

// Time is the time of a seat for its next move.
type Time struct {
	Left      time.Duration // on the clock
	Increment time.Duration // added after the move
	Moves     int           // moves until more time is added; 0: the rest of the game
	Fixed     bool          // whether the rest of Left is lost after Moves moves
}

// Seat is the clock of a seat.
type Seat struct {
	Control
	left  time.Duration
	moves int // moves until more time is added; 0: none is, or Main runs before Overtime
}

// NewSeat returns the clock at the start of a game.
func NewSeat(c Control) Seat {
	if c.Stones > 0 && c.Main == 0 { // Overtime runs at once
		return Seat{Control: c, left: c.Overtime, moves: c.Stones}
	}
	return Seat{Control: c, left: cmp.Or(c.Move, c.Main+c.Increment), moves: c.Moves}
}

// Set sets the remaining time. moves is the number of moves in it during Overtime, otherwise 0.
func (s *Seat) Set(left time.Duration, moves int) { s.left, s.moves = left, moves }

// Time returns the time for the next move.
func (s *Seat) Time() Time {
	t := Time{Left: s.left, Increment: s.Increment, Moves: s.moves}
	switch {
	case s.Move > 0:
		t.Moves, t.Fixed = 1, true
	case s.Stones > 0 && s.moves > 0:
		t.Fixed = true
	case s.Stones > 0:
		t.Increment = s.Overtime / time.Duration(s.Stones)
	}
	return t
}

// Spend takes d off the clock, and reports whether that is within the time and the margin.
func (s *Seat) Spend(d time.Duration) bool {
	s.left -= d
	return s.left+s.Margin >= 0
}

// EndTurn adds the time for a finished move.
func (s *Seat) EndTurn() {
	s.left = max(s.left, 0)
	switch {
	case s.Move > 0:
		s.left = s.Move
		return
	case s.Stones > 0 && s.moves == 0 && s.left > 0: // main time
	case s.Stones > 0 && s.moves > 1:
		s.moves--
	case s.Stones > 0:
		s.left, s.moves = s.Overtime, s.Stones
	case s.moves > 1:
		s.moves--
	case s.moves == 1:
		s.left, s.moves = s.left+s.Main, s.Moves
	}
	s.left += s.Increment
}
