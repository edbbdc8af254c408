package arena

import (
	"fmt"
	"strings"
	"time"
)

// Effort is what a player spent on the finished games of a match, on all of its
// seats.
type Effort struct {
	Moves int   `json:"moves"` // actions that it chose
	Nodes int64 `json:"nodes"` // simulations, or positions, that it searched for them; 0 for a player that is no Counter

	// Times differ from match to match, and are no part of a file.
	Wall time.Duration `json:"-"` // 0: not measured
	CPU  time.Duration `json:"-"` // of the threads that chose, so without the garbage collector; 0: not measured
}

func (e *Effort) add(other Effort) {
	e.Moves += other.Moves
	e.Nodes += other.Nodes
	e.Wall += other.Wall
	e.CPU += other.CPU
}

// String says what a move took on average.
func (e Effort) String() string {
	if e.Moves == 0 {
		return "no moves"
	}
	text := fmt.Sprintf("%.1f nodes", float64(e.Nodes)/float64(e.Moves))
	each := func(d time.Duration) time.Duration { return (d / time.Duration(e.Moves)).Round(time.Microsecond) }
	if e.Wall > 0 {
		text += fmt.Sprintf(", %s", each(e.Wall))
	}
	if e.CPU > 0 {
		text += fmt.Sprintf(", CPU %s", each(e.CPU))
	}
	return text + " a move"
}

// Efforts returns a line for each player with what its moves took on average.
func (r Report) Efforts() string {
	var b strings.Builder
	for _, p := range r.Players {
		fmt.Fprintf(&b, "%s: %s\n", p.Name, p.Effort)
	}
	return b.String()
}

// measured calls choose, the choice of an action by p, and returns what it took.
func (c Clock) measured(p Player, choose func()) Effort {
	began, cpu := c.read()
	choose()
	ended, after := c.read()
	e := Effort{Moves: 1, Wall: ended.Sub(began), CPU: after - cpu}
	if p, ok := p.(Counter); ok {
		e.Nodes = int64(p.Nodes())
	}
	return e
}

func (c Clock) read() (now time.Time, cpu time.Duration) {
	if c.Now != nil {
		now = c.Now()
	}
	if c.CPU != nil {
		cpu = c.CPU()
	}
	return now, cpu
}
