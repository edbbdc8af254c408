package progress

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tiro/env"
	"tiro/selfplay"
)

// Minimum size of a view.
const (
	leastColumns = 39
	leastRows    = 8
)

// introduction is the number of rows that the board leaves free until the second generation
// is complete, for the lines that introduce the run and explain its figures.
const introduction = 12

// View draws a run as lines for a terminal: the generation, the rating, the losses, the first
// finding and the last game's board. It is for one goroutine at a time.
type View struct {
	colour   bool
	run      Run
	ends     time.Time // estimated end of the training; zero if unknown
	rows     []row
	played   *selfplay.Episode // the last game
	board    string            // drawing of the last game's board
	drawn    env.Screen        // size of the drawing
	finished bool
}

// NewView returns a view of a run, with or without colours.
func NewView(run Run, colour bool) *View { return &View{run: run, colour: colour} }

// Show updates the view with the current state of the run.
func (v *View) Show(run Run) {
	v.run, v.ends, v.rows = run, time.Time{}, run.rows()
	if left := run.Left(time.Now()); left > 0 {
		v.ends = time.Now().Add(left)
	}
}

// Played shows a finished game.
func (v *View) Played(e selfplay.Episode) {
	e.Samples = nil // saves memory; they are not shown
	v.played, v.drawn = &e, env.Screen{}
}

// Finish removes the board and the time left: the training is over.
func (v *View) Finish() { v.finished = true }

// Lines returns the view in the given number of columns, with at most the given number of
// rows. It returns nil if that is below the minimum size.
func (v *View) Lines(columns, rows int) []string {
	if columns < leastColumns || rows < leastRows {
		return nil
	}
	heading, left := v.run.heading(v.finished), ""
	if d := time.Until(v.ends); d > 0 && !v.finished {
		left = ", " + Duration(d) + " left"
	}
	lines := []string{
		strings.Repeat("─", columns),
		Fitting(columns, v.run.Game.Spec().Name+", "+heading+left, heading+left, heading),
	}
	for _, r := range v.rows {
		lines = append(lines, r.line(columns))
	}
	return append(lines, v.lastGame(columns, rows-len(lines))...)
}

// lastGame returns the board at the end of the last game if it fits.
func (v *View) lastGame(columns, rows int) []string {
	if v.run.Generation() <= 1 {
		rows -= introduction
	}
	if v.played == nil || v.finished || rows < 2 {
		return nil
	}
	screen := env.Screen{Columns: columns, Lines: rows - 1, Colour: v.colour}
	if v.drawn != screen {
		v.board, v.drawn = env.Draw(env.After(v.played.Rules, v.played.Rules.New(), v.played.Actions...), screen), screen
	}
	lines := strings.Split(strings.TrimRight(v.board, "\n"), "\n")
	wide := func(line string) bool { return Width(line) > columns }
	if len(lines) > rows-1 || slices.ContainsFunc(lines, wide) {
		return nil
	}
	return append([]string{Fitting(columns, "last game  "+Summary(v.run.Game, v.played))}, lines...)
}

// line returns the row in the given number of columns: the first text that fits, then the curve
// in the rest of the line.
func (r row) line(columns int) string {
	const labels, least, most = 11, 4, 32
	text, curve := r.label+strings.Repeat(" ", labels-len(r.label)), 0
	if len(r.values) > 1 {
		curve = least + 2
	}
	text += Fitting(columns-labels-curve, r.texts...)
	if room := min(most, columns-utf8.RuneCountInString(text)-2); curve > 0 && room >= least {
		text += "  " + sparkline(r.values[max(0, len(r.values)-room):])
	}
	return text
}

// escape matches control sequences of colours (ECMA-48, SGR), which have no width.
var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Width returns the number of columns that text takes on a terminal.
func Width(text string) int { return utf8.RuneCountInString(escape.ReplaceAllString(text, "")) }

// Fitting returns the first text that fits in the given number of columns, or else the last
// one, cut off.
func Fitting(columns int, texts ...string) string {
	for _, text := range texts {
		if utf8.RuneCountInString(text) <= columns {
			return text
		}
	}
	last := []rune(texts[len(texts)-1])
	return string(last[:min(len(last), max(0, columns-1))]) + "…"
}

// sparkline returns a curve with a column for each value, scaled to the range of the values.
func sparkline(values []float64) string {
	signs := []rune("▁▂▃▄▅▆▇█")
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
