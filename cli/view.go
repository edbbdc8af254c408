package cli

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tiro/env"
	"tiro/selfplay"
	"tiro/study/progress"
)

// Minimum size of a view.
const (
	leastColumns = 39
	leastRows    = 8
)

// introduction is the number of rows that the board leaves free until the second generation
// is complete, for the lines that introduce the run and explain its figures.
const introduction = 12

// view shows a run on a terminal above its bar: the generation, the rating, the losses, the
// first finding and the last game's board. It is safe for concurrent use.
type view struct {
	colour bool

	mu       sync.Mutex
	run      progress.Run
	ends     time.Time // estimated end of the training; zero if unknown
	rows     []progress.Row
	played   *selfplay.Episode // the last game
	board    string            // drawing of the last game's board
	drawn    env.Screen        // size of the drawing
	finished bool              // whether the training is over
}

func newView(run progress.Run, colour bool) *view { return &view{run: run, colour: colour} }

// show updates the view with the current state of a run.
func (v *view) show(run progress.Run) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.run, v.ends, v.rows = run, time.Time{}, run.Rows()
	if left := run.Left(time.Now()); left > 0 {
		v.ends = time.Now().Add(left)
	}
}

// end shows a finished game.
func (v *view) end(e selfplay.Episode) {
	e.Samples = nil // saves memory; they are not shown
	v.mu.Lock()
	defer v.mu.Unlock()
	v.played, v.drawn = &e, env.Screen{}
}

// finish removes the board.
func (v *view) finish() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.finished = true
}

// lines returns the view in the given number of columns, with at most the given number of
// rows. It returns nil if that is below the minimum size.
func (v *view) lines(columns, rows int) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if columns < leastColumns || rows < leastRows {
		return nil
	}
	heading, left := v.run.Heading(v.finished), ""
	if d := time.Until(v.ends); d > 0 && !v.finished {
		left = progress.Duration(d) + " left"
	}
	lines := []string{
		strings.Repeat("─", columns),
		fitting(columns, list(v.run.Game.Spec().Name, heading, left), list(heading, left), heading),
	}
	for _, r := range v.rows {
		lines = append(lines, line(r, columns))
	}
	return append(lines, v.lastGame(columns, rows-len(lines))...)
}

// lastGame returns the board at the end of the last game if it fits.
func (v *view) lastGame(columns, rows int) []string {
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
	wide := func(line string) bool { return width(line) > columns }
	if len(lines) > rows-1 || slices.ContainsFunc(lines, wide) {
		return nil
	}
	return append([]string{fitting(columns, "last game  "+progress.Summary(v.run.Game, v.played))}, lines...)
}

// line formats a row in the given number of columns: the first text that fits, then the curve
// in the rest of the line.
func line(r progress.Row, columns int) string {
	const labels, least, most = 11, 4, 32
	text, curve := r.Label+strings.Repeat(" ", labels-len(r.Label)), 0
	if len(r.Values) > 1 {
		curve = least + 2
	}
	text += fitting(columns-labels-curve, r.Texts...)
	if room := min(most, columns-utf8.RuneCountInString(text)-2); curve > 0 && room >= least {
		text += "  " + sparkline(r.Values[max(0, len(r.Values)-room):])
	}
	return text
}

// fitting returns the first text that fits in the given number of columns, or else the last
// one, cut off.
func fitting(columns int, texts ...string) string {
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
