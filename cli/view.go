package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tiro/env"
	"tiro/rundir"
	"tiro/selfplay"
)

// The least room for a view.
const (
	leastColumns = 39
	leastRows    = 8
)

// introduction is how many rows stay free until the second generation is complete, for
// the lines that say what will happen and what the first numbers mean.
const introduction = 12

// remembered is how many generations a view remembers; warnedFor is for how many it
// shows a warning.
const (
	remembered = 64
	warnedFor  = 5
)

// view is what a training shows on a terminal above its line of progress: how far it
// is, how strong, its losses, the last game's board, and what looks wrong. Its methods
// may be called from several goroutines.
type view struct {
	game   env.Game
	colour bool
	target int // generations that the run is to have; 0: no such target

	mu       sync.Mutex
	newest   *rundir.Metrics       // the newest generation; nil: none yet
	ends     time.Time             // when the run will have reached its target; zero: unknown
	ratings  []float64             // of the generations with duels, Elo
	rating   *rundir.Rating        // the newest
	policy   []float64             // validation losses by generation
	outcome  []float64             // likewise
	warning  string                // the newest; empty: none
	warned   int                   // the generation of the warning
	played   *selfplay.Episode     // the last game
	title    string                // of its board
	boards   map[env.Screen]string // of the last game, as they were drawn
	finished bool                  // the board is of no interest any more
}

func newView(game env.Game, colour bool, target int) *view {
	return &view{game: game, colour: colour, target: target}
}

// add adds a generation, newer than those before, of a run that ends at a time; zero if
// nobody knows.
func (v *view) add(m *rundir.Metrics, ends time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	newest := *m // without what m is a part of
	v.newest, v.ends = &newest, ends
	if m.Rating != nil {
		v.rating, v.ratings = m.Rating, remember(v.ratings, m.Rating.Elo)
	}
	if m.ValidationLoss.Outcome > 0 {
		v.policy = remember(v.policy, m.ValidationLoss.PolicyKL)
		v.outcome = remember(v.outcome, m.ValidationLoss.Outcome)
	}
}

// remember appends x to the values that are remembered.
func remember(all []float64, x float64) []float64 {
	return append(all[max(0, len(all)-remembered+1):], x)
}

// warn shows a warning.
func (v *view) warn(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.warning, v.warned = text, v.generation()
}

// end shows a game that has ended.
func (v *view) end(e selfplay.Episode) {
	e.Samples = nil // which nobody looks at here, and which take memory
	v.mu.Lock()
	defer v.mu.Unlock()
	v.played, v.boards = &e, nil
}

// finish leaves out the board from now on.
func (v *view) finish() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.finished = true
}

func (v *view) generation() int {
	if v.newest == nil {
		return 0
	}
	return v.newest.Generation
}

// lines returns the view in so many columns and at most so many rows; nothing if that is
// too little.
func (v *view) lines(columns, rows int) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if columns < leastColumns || rows < leastRows {
		return nil
	}
	lines := []string{strings.Repeat("─", columns), v.heading(columns)}
	row := func(label string, values []float64, texts ...string) {
		lines = append(lines, labelled(label, values, columns, texts...))
	}
	if r := v.rating; r != nil {
		elo := fmt.Sprintf("%+.0f ±%.0f Elo", r.Elo, r.Error)
		row("rating", v.ratings, elo+" above generation 0", elo)
	}
	if n := len(v.outcome); n > 0 {
		row("policy", v.policy, fmt.Sprintf("%.2f, loss on new games", v.policy[n-1]), fmt.Sprintf("%.2f", v.policy[n-1]))
		outcome := fmt.Sprintf("%.2f of %.2f", v.outcome[n-1], v.newest.BaselineLoss)
		row("outcome", v.outcome, outcome+" of a constant guess", outcome)
	}
	if m := v.newest; m != nil {
		row("games", nil, v.results(m)+fmt.Sprintf(", %.0f plies", m.MeanPlies)+perGeneration(m), v.results(m))
	}
	if v.warning != "" && v.generation() < v.warned+warnedFor {
		row("warning", nil, v.warning)
	}
	return append(lines, v.board(columns, rows-len(lines))...)
}

// heading returns the first line: how far the run is.
func (v *view) heading(columns int) string {
	generation := fmt.Sprintf("generation %d", v.generation()+1)
	if v.finished {
		generation = fmt.Sprintf("generation %d", v.generation())
	}
	if v.target > 0 {
		generation += fmt.Sprintf(" of %d", v.target)
	}
	left := ""
	if d := time.Until(v.ends); !v.ends.IsZero() && d > 0 && !v.finished {
		left = roughly(d) + " left"
	}
	return fitting(columns, list(v.game.Spec().Name, generation, left), list(generation, left), generation)
}

// results returns how the games of a generation ended.
func (v *view) results(m *rundir.Metrics) string {
	return fmt.Sprintf("won %s drawn %d", wonBySeat(m), m.Draws)
}

// wonBySeat returns how many games of a generation each seat won, as in 10/6.
func wonBySeat(m *rundir.Metrics) string {
	won := make([]string, len(m.Wins))
	for seat, wins := range m.Wins {
		won[seat] = strconv.Itoa(wins)
	}
	return strings.Join(won, "/")
}

// perGeneration returns how long a generation takes, after a comma.
func perGeneration(m *rundir.Metrics) string {
	if m.Machine == nil || m.Machine.Seconds <= 0 {
		return ""
	}
	return ", " + roughly(seconds(m.Machine.Seconds)) + " a generation"
}

// board returns the board at the end of the last game, if it has room.
func (v *view) board(columns, rows int) []string {
	if v.generation() <= 1 {
		rows -= introduction
	}
	if v.played == nil || v.finished || rows < 2 {
		return nil
	}
	screen := env.Screen{Columns: columns, Lines: rows - 1, Colour: v.colour}
	if _, ok := v.boards[screen]; !ok {
		v.boards = map[env.Screen]string{screen: v.draw(screen)}
	}
	lines := strings.Split(strings.TrimRight(v.boards[screen], "\n"), "\n")
	for _, line := range lines {
		if utf8.RuneCountInString(escape.ReplaceAllString(line, "")) > columns {
			return nil
		}
	}
	if len(lines) > rows-1 {
		return nil
	}
	return append([]string{fitting(columns, v.title)}, lines...)
}

// draw draws the end of the last game, and sets the title of the board.
func (v *view) draw(screen env.Screen) string {
	s := v.played.Rules.New()
	for _, a := range v.played.Actions {
		s.Play(a)
	}
	v.title = fmt.Sprintf("last game  %d plies", len(v.played.Actions))
	result := v.played.Result[:v.game.Spec().Players]
	if best := slices.Max(result); best > 0 {
		seat := env.Player(slices.Index(result, best))
		v.title = fmt.Sprintf("last game  %s wins in %d plies", env.SeatName(v.game, seat), len(v.played.Actions))
	}
	if v.played.Ending != "" {
		v.title += ", " + v.played.Ending
	}
	return env.Draw(s, screen)
}

// labelled returns a row of the view: a label, the first of the texts that fits, and a
// curve of values in the room that is left.
func labelled(label string, values []float64, columns int, texts ...string) string {
	const labels, least, most = 11, 4, 32
	line := fmt.Sprintf("%-*s", labels, label)
	curve := 0
	if len(values) > 1 {
		curve = least + 2
	}
	line += fitting(columns-labels-curve, texts...)
	if room := min(most, columns-utf8.RuneCountInString(line)-2); curve > 0 && room >= least {
		line += "  " + sparkline(values[max(0, len(values)-room):])
	}
	return line
}

// fitting returns the first text that has at most so many columns, or what fits of the
// last one.
func fitting(columns int, texts ...string) string {
	for _, text := range texts {
		if utf8.RuneCountInString(text) <= columns {
			return text
		}
	}
	last := []rune(texts[len(texts)-1])
	return string(last[:max(0, columns-1)]) + "…"
}

// sparkline returns a curve of values, one column each, from the least to the greatest.
func sparkline(values []float64) string {
	const levels = "▁▂▃▄▅▆▇█"
	signs := []rune(levels)
	low, high := slices.Min(values), slices.Max(values)
	var b strings.Builder
	for _, x := range values {
		level := 0
		if high > low {
			level = int(math.Round((x - low) / (high - low) * float64(len(signs)-1)))
		}
		b.WriteRune(signs[min(max(level, 0), len(signs)-1)])
	}
	return b.String()
}
