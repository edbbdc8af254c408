package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"

	"tiro/study/progress"
)

// Times of a meter.
const (
	redrawEvery  = time.Second            // without progress
	redrawAtMost = 100 * time.Millisecond // with fast progress
	logEvery     = 5 * time.Second        // without a terminal
	suspended    = 5 * time.Second        // a longer time without a redraw means that the program was stopped
	estimateFrom = 10 * time.Second       // minimum age of a job for an estimate of its end
)

// meter shows the progress of jobs, one after the other: with a progress bar on a terminal,
// otherwise with a log line every few seconds. A view may show more lines above the bar. Text
// written to the meter appears above both. A meter is safe for concurrent use.
type meter struct {
	w    io.Writer
	term *os.File // the terminal of w; nil if w is not a terminal
	log  *slog.Logger

	failed func(error) // called with the first error of Write; may be nil

	mu    sync.Mutex
	view  func(columns, rows int) []string // returns the lines above the bar, under mu; nil for none
	job   *job                             // current job, or nil
	timer *time.Timer                      // shows the current job from time to time
	drawn []int                            // columns of the view's lines and of the bar on the terminal; the cursor is on the bar
	when  time.Time                        // when they were drawn
}

// job is a piece of work.
type job struct {
	what, unit  string // such as "self-play" and "games"
	done, total int    // in units; a total of 0 means unknown
	note        string // such as the score of a match
	begun       time.Time
	resumed     int // units done before the job began
	bar         *progressbar.ProgressBar

	// Progress between units, such as positions; a total of 0 is unknown.
	fine, fineTotal int
}

// newMeter returns a meter that shows jobs on w.
func newMeter(w io.Writer) *meter {
	m := &meter{w: w, term: terminalOf(w)}
	m.log = slog.New(&lines{m, colour(w)})
	return m
}

// kept logs that finished work is kept if err is an interruption. It returns err.
func (m *meter) kept(err error) error {
	if errors.Is(err, context.Canceled) {
		m.log.Info("stopped; finished work is kept; run the same command to resume")
	}
	return err
}

// Write writes p above the view and the bar.
func (m *meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.draw(string(p))
	if err != nil && m.failed != nil {
		m.failed(err)
		m.failed = nil
	}
	return len(p), err
}

// draw writes text, and draws the view and the bar below it. They are hidden in the background,
// when a shell writes to the terminal.
func (m *meter) draw(text string) error {
	var columns, rows int
	if m.term != nil {
		columns, rows = size(m.term, 80)
		text = fold(text, columns-1)
	}
	if m.term == nil || !foreground(m.term) {
		m.drawn = nil
		_, err := io.WriteString(m.w, text)
		return err
	}
	if m.job != nil && time.Since(m.when) > suspended {
		m.drawn = nil // a shell has written to the terminal since
	}
	var lines []string
	if m.view != nil && (m.job != nil || m.drawn != nil) {
		lines = m.view(columns-1, rows-2) // leaves a line for the bar and one for the log
	}
	if m.job != nil {
		lines = append(lines, m.job.line(columns-1-len("^C"))) // the terminal's echo of Ctrl-C must not wrap
	} else if lines != nil {
		lines = append(lines, "")
	}
	if m.drawn != nil {
		text = "\r" + strings.Repeat(cursorUp, m.rows(columns)) + clearBelow + text
	}
	m.drawn, m.when = nil, time.Now()
	for _, line := range lines {
		m.drawn = append(m.drawn, progress.Width(line))
	}
	_, err := io.WriteString(m.w, text+strings.Join(lines, "\r\n"))
	return err
}

// redraw draws the view and the bar again if there is a terminal.
func (m *meter) redraw() {
	if m.term != nil {
		_ = m.draw("") // a failed redraw must not end the program
	}
}

// rows returns the number of rows from the beginning of the view to the cursor. A terminal that
// has become narrower wraps the longer lines.
func (m *meter) rows(columns int) (rows int) {
	for _, width := range m.drawn {
		rows += max(1, (width+columns-1)/columns)
	}
	return max(0, rows-1)
}

// Control sequences (ECMA-48, CUU and ED).
const (
	cursorUp   = "\x1b[A"
	clearBelow = "\x1b[J"
)

// leave ends the view, whose last lines remain on the terminal.
func (m *meter) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.redraw()
	m.view, m.drawn = nil, nil
}

// begin starts a job of total units, 0 if unknown, of which done are already done.
func (m *meter) begin(what, unit string, done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := &job{what: what, unit: unit, done: done, resumed: done, total: total, begun: time.Now()}
	every := logEvery
	if m.term != nil {
		every = redrawEvery
	}
	m.job, m.when, m.timer = j, j.begun, time.AfterFunc(every, func() { m.tick(j, every) })
	if m.view != nil {
		m.redraw()
	}
}

// tick redraws the terminal or logs the progress of j, and does it again after a while, unless
// j has ended.
func (m *meter) tick(j *job, every time.Duration) {
	m.mu.Lock()
	current := m.job == j
	count := strconv.Itoa(j.done)
	if j.total > 0 {
		count = fmt.Sprintf("%d of %d", j.done, j.total)
	}
	text := list(j.what+" "+count+" "+j.unit, j.note, j.rate(), j.left())
	if current {
		m.timer.Reset(every)
		m.redraw()
	}
	m.mu.Unlock()
	if current && m.term == nil {
		m.log.Info(text)
	}
}

// set sets the number of finished units of the job, and a note.
func (m *meter) set(done int, note string) {
	m.update(func(j *job) { j.done, j.note = done, note })
}

// add adds finished units and finer units.
func (m *meter) add(units, fine int) {
	m.update(func(j *job) { j.done, j.fine = j.done+units, j.fine+fine })
}

// update changes the job, or the view if there is no job, and redraws the terminal at intervals
// of at least redrawAtMost.
func (m *meter) update(change func(j *job)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(cmp.Or(m.job, &job{}))
	if m.job != nil && time.Since(m.when) >= redrawAtMost {
		m.redraw()
	}
}

// end ends the job, if there is one, and removes its bar. The view remains.
func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.job != nil {
		m.job = nil
		m.timer.Stop()
		m.redraw()
	}
}

// amounts returns the progress since the job began, in the finest known units.
func (j *job) amounts() (done, total int) {
	if j.fineTotal > 0 {
		return min(j.fine, j.fineTotal-1), j.fineTotal
	}
	return j.done - j.resumed, j.total - j.resumed
}

// line returns the bar of j in the given number of columns, with as much text as fits.
func (j *job) line(columns int) string {
	const frame, most = len("  50% ||  _"), 20 // columns beside the bar and the text, and of the bar
	if j.bar == nil {
		j.bar = progressbar.NewOptions(cmp.Or(j.total, -1), progressbar.OptionSetWriter(io.Discard), progressbar.OptionUseANSICodes(true),
			progressbar.OptionShowDescriptionAtLineEnd(), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetSpinnerChangeInterval(0)) // the meter redraws it
	}
	count := " " + strconv.Itoa(j.done)
	if j.total > 0 {
		count += "/" + strconv.Itoa(j.total)
	}
	short, _, _ := strings.Cut(j.what, ",")
	long, short, unit, left := j.what+count, short+count, " "+j.unit, j.left()
	room := columns - frame - 1
	text := progress.Fitting(room,
		list(long+unit, j.note, j.rate(), left), list(long+unit, j.note, left), list(short+unit, j.note, left),
		list(short+unit, left), list(short, left), short,
	)
	progressbar.OptionSetDescription(text)(j.bar)
	if j.total > 0 {
		done, total := j.amounts()
		progressbar.OptionSetWidth(min(most, room+1-utf8.RuneCountInString(text)))(j.bar)
		j.bar.ChangeMax(max(1, total))
		_ = j.bar.Set(max(0, min(done, total-1))) // the bar ends itself when it is full
	}
	_ = j.bar.RenderBlank()
	return strings.TrimSuffix(strings.TrimPrefix(j.bar.String(), "\r"), "\x1b[0K")
}

// rate returns the speed of the job as text, "" if it is unknown.
func (j *job) rate() string {
	done, unit := j.done-j.resumed, j.unit
	if j.fine > 0 {
		done, unit = j.fine, "positions"
	}
	took := time.Since(j.begun)
	if done <= 0 || took < 2*redrawEvery {
		return ""
	}
	if each := float64(done) / took.Seconds(); each < 100 {
		return fmt.Sprintf("%.3g %s/s", each, unit)
	}
	return fmt.Sprintf("%.0f %s/s", float64(done)/took.Seconds(), unit)
}

// left returns the estimated time left as text, "" if it cannot be estimated yet.
func (j *job) left() string {
	done, total := j.amounts()
	took := time.Since(j.begun)
	if left := progress.Rest(took, done, total); left > 0 && took >= estimateFrom {
		return progress.Duration(left) + " left"
	}
	return ""
}

// list joins non-empty parts with commas.
func list(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}
