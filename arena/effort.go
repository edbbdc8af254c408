package arena

import (
	"fmt"
	"strings"
	"time"

	"tiro/player"
)

// Effort is a player's total effort in the finished games of a match.
type Effort struct {
	Moves int   `json:"moves"` // actions chosen, on all seats of the player
	Nodes int64 `json:"nodes"` // simulations or positions searched; 0 without a search

	// Times vary from match to match and are not stored. They cover the timed moves,
	// which are all moves unless the match was resumed.
	Wall time.Duration `json:"-"` // 0 if not measured
	CPU  time.Duration `json:"-"` // CPU time of the choosing threads, without the garbage collector; 0 if not measured

	timed int
}

func (e *Effort) add(other Effort) {
	e.Moves += other.Moves
	e.Nodes += other.Nodes
	e.Wall += other.Wall
	e.CPU += other.CPU
	e.timed += other.timed
}

// String returns the mean effort of an action.
func (e Effort) String() string {
	if e.Moves == 0 {
		return "no actions"
	}
	milliseconds := func(d time.Duration) float64 { return 1e3 * d.Seconds() / float64(max(1, e.timed)) }
	var parts []string
	if e.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("%.1f nodes", float64(e.Nodes)/float64(e.Moves)))
	}
	if e.Wall > 0 {
		parts = append(parts, fmt.Sprintf("%.3f ms", milliseconds(e.Wall)))
	}
	if e.CPU > 0 {
		parts = append(parts, fmt.Sprintf("%.3f ms CPU", milliseconds(e.CPU)))
	}
	return strings.Join(parts, ", ") + " per action"
}

// Efforts returns a line of text for each player that has nodes or times, with the mean
// effort of its actions.
func (r Report) Efforts() string {
	var b strings.Builder
	for _, p := range r.Players {
		if e := p.Effort; e.Nodes > 0 || e.Wall > 0 || e.CPU > 0 {
			fmt.Fprintf(&b, "effort    %s: %s\n", p.Name, e)
		}
	}
	return b.String()
}

// stopwatch measures the time of choosing an action.
type stopwatch struct {
	clock    player.Clock
	began    time.Time
	beganCPU time.Duration
	wall     time.Duration // accumulated before began
	cpu      time.Duration
}

func (w *stopwatch) reset() {
	w.wall, w.cpu = 0, 0
	w.resume()
}

// pause stops the watch until resume is called.
func (w *stopwatch) pause() {
	now, cpu := w.clock.Read()
	w.wall += now.Sub(w.began)
	w.cpu += cpu - w.beganCPU
}

func (w *stopwatch) resume() { w.began, w.beganCPU = w.clock.Read() }

// add adds the fraction part of the time of another watch, which must be paused.
func (w *stopwatch) add(other *stopwatch, part float64) {
	w.wall += time.Duration(part * float64(other.wall))
	w.cpu += time.Duration(part * float64(other.cpu))
}

// effort stops the watch and returns the effort of the action that p has chosen.
func (w *stopwatch) effort(p player.Player) Effort {
	w.pause()
	e := Effort{Moves: 1, Wall: w.wall, CPU: w.cpu}
	if w.clock.Now != nil || w.clock.CPU != nil {
		e.timed = 1
	}
	if p, ok := p.(player.Counter); ok {
		e.Nodes = int64(p.Nodes())
	}
	return e
}
