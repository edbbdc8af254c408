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
	"tiro/study/chart"
	"tiro/study/progress"
)

// The least room for a view.
const (
	leastColumns = 39
	leastRows    = 8
)

// introduction is how many rows stay free until the second generation is complete, for
// the lines that say what will happen and what the first numbers mean.
const introduction = 12

// view shows a run on a terminal above its bar: how far it is, its rating, its losses,
// what looks wrong, and the last game's board. Its methods may be called from several
// goroutines.
type view struct {
	colour bool

	mu       sync.Mutex
	run      progress.Run
	ends     time.Time // of the training; zero: unknown
	rows     []row
	played   *selfplay.Episode // the last game
	board    string            // of the last game, as it was drawn
	drawn    env.Screen        // for this room
	finished bool              // the training is over
}

// row is a line of a view: the first text that fits, and a curve of values in the room
// that is left.
type row struct {
	label  string
	values []float64
	texts  []string
}

func newView(run progress.Run, colour bool) *view { return &view{run: run, colour: colour} }

// show shows a run as it is now.
func (v *view) show(run progress.Run) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.run, v.ends, v.rows = run, time.Time{}, nil
	if left := run.Left(time.Now()); left > 0 {
		v.ends = time.Now().Add(left)
	}
	add := func(label string, c chart.Chart, texts ...string) {
		var values []float64
		if len(c.Series) > 0 {
			for _, d := range c.Series[0].Dots {
				values = append(values, d.Y)
			}
		}
		v.rows = append(v.rows, row{label, values, texts})
	}
	m := run.Newest()
	if m == nil {
		return
	}
	if rated := run.Rated(); rated != nil {
		elo := fmt.Sprintf("%+.0f ±%.0f Elo", rated.Rating.Elo, rated.Rating.Error)
		add("rating", run.Rating(), elo+" above generation 0", elo)
	}
	if loss := m.ValidationLoss; loss.Outcome > 0 {
		add("policy", run.Policy(), fmt.Sprintf("%.2f, loss on new games", loss.PolicyKL), fmt.Sprintf("%.2f", loss.PolicyKL))
		outcome := fmt.Sprintf("%.2f of %.2f", loss.Outcome, m.BaselineLoss)
		add("outcome", run.Outcome(), outcome+" of a constant guess", outcome)
	}
	games := fmt.Sprintf("%s, %.0f plies", results(m), m.MeanPlies)
	if each := run.Each(); each > 0 {
		games += ", " + progress.Duration(each) + " a generation"
	}
	add("games", chart.Chart{}, games, results(m))
	if all := run.Findings(); len(all) > 0 {
		add("warning", chart.Chart{}, all[0].Name+": "+all[0].Text)
	}
}

// end shows a game that has ended.
func (v *view) end(e selfplay.Episode) {
	e.Samples = nil // which are not shown, and which take memory
	v.mu.Lock()
	defer v.mu.Unlock()
	v.played, v.drawn = &e, env.Screen{}
}

// finish leaves out the board from now on.
func (v *view) finish() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.finished = true
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
	for i := range v.rows {
		lines = append(lines, v.rows[i].line(columns))
	}
	return append(lines, v.lastGame(columns, rows-len(lines))...)
}

// heading returns the first line: how far the run is.
func (v *view) heading(columns int) string {
	number, left := v.run.Generation(), ""
	if !v.finished {
		number++
		if d := time.Until(v.ends); d > 0 {
			left = progress.Duration(d) + " left"
		}
	}
	generation := fmt.Sprintf("generation %d", number)
	if target := v.run.State.Generations; target > 0 {
		generation += fmt.Sprintf(" of %d", target)
	}
	return fitting(columns, list(v.run.Game.Spec().Name, generation, left), list(generation, left), generation)
}

// results returns how many games of a generation each seat won, as in "won 10/6 drawn 2".
func results(m *rundir.Metrics) string {
	won := make([]string, len(m.Wins))
	for seat, wins := range m.Wins {
		won[seat] = strconv.Itoa(wins)
	}
	return fmt.Sprintf("won %s drawn %d", strings.Join(won, "/"), m.Draws)
}

// lastGame returns the board at the end of the last game, if it has room.
func (v *view) lastGame(columns, rows int) []string {
	if v.run.Generation() <= 1 {
		rows -= introduction
	}
	if v.played == nil || v.finished || rows < 2 {
		return nil
	}
	screen := env.Screen{Columns: columns, Lines: rows - 1, Colour: v.colour}
	if v.drawn != screen {
		s := v.played.Rules.New()
		for _, a := range v.played.Actions {
			s.Play(a)
		}
		v.board, v.drawn = env.Draw(s, screen), screen
	}
	lines := strings.Split(strings.TrimRight(v.board, "\n"), "\n")
	wide := func(line string) bool { return utf8.RuneCountInString(escape.ReplaceAllString(line, "")) > columns }
	if len(lines) > rows-1 || slices.ContainsFunc(lines, wide) {
		return nil
	}
	return append([]string{fitting(columns, "last game  "+progress.Summary(v.run.Game, v.played))}, lines...)
}

// line returns the row in so many columns.
func (r *row) line(columns int) string {
	const labels, least, most = 11, 4, 32
	line, curve := fmt.Sprintf("%-*s", labels, r.label), 0
	if len(r.values) > 1 {
		curve = least + 2
	}
	line += fitting(columns-labels-curve, r.texts...)
	if room := min(most, columns-utf8.RuneCountInString(line)-2); curve > 0 && room >= least {
		line += "  " + sparkline(r.values[max(0, len(r.values)-room):])
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
	return string(last[:min(len(last), max(0, columns-1))]) + "…"
}

// sparkline returns a curve of values, one column each, from the least to the greatest.
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
