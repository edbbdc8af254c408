package cli

import (
	"cmp"
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
// written to the meter appears above both. A meter is safe for concurrent use, except that
// begin and end must be called from one goroutine at a time.
type meter struct {
	w    io.Writer
	term *os.File // the terminal of w; nil if w is not a terminal
	log  *slog.Logger
	view func(columns, rows int) []string // returns the lines above the bar; nil for none

	mu    sync.Mutex
	job   *job                     // current job, or nil
	stop  func()                   // ends the goroutine that shows the current job
	bar   *progressbar.ProgressBar // bar of the job, on a terminal
	drawn []int                    // columns of the view's lines and of the bar on the terminal; the cursor is on the bar
	when  time.Time                // when the lines were drawn; zero if they are not visible
}

// job is a piece of work.
type job struct {
	what, unit  string // such as "self-play" and "games"
	done, total int    // in units; a total of 0 means unknown
	note        string // such as the score of a match
	begun       time.Time
	resumed     int // units done before the job began

	// Progress between units, such as positions; a total of 0 is unknown.
	fine, fineTotal int
}

// newMeter returns a meter that shows jobs on w.
func newMeter(w io.Writer) *meter {
	m := &meter{w: w, term: terminalOf(w)}
	m.log = slog.New(people(m, colour(w)))
	return m
}

// Write writes p above the view and the bar.
func (m *meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := string(p)
	if m.term != nil {
		columns, _ := size(m.term)
		text = fold(text, columns-1)
	}
	if m.visible() {
		text = m.up() + clearBelow + text
	}
	_, err := io.WriteString(m.w, text)
	if m.visible() {
		m.drawn = nil
		m.draw()
	}
	return len(p), err
}

// visible reports whether the view and the bar are on the terminal. They are hidden in the
// background and after a stop of the program, when a shell writes to the terminal.
func (m *meter) visible() bool {
	if m.term == nil || !foreground(m.term) {
		m.drawn, m.when = nil, time.Time{}
	}
	return !m.when.IsZero()
}

// leave ends the view, whose last lines remain on the terminal.
func (m *meter) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.visible() {
		m.draw()
	}
	m.view, m.drawn, m.when = nil, nil, time.Time{}
}

// begin starts a job of total units, 0 if unknown, of which done are already done.
func (m *meter) begin(what, unit string, done, total int) {
	j := &job{what: what, unit: unit, done: done, resumed: done, total: total, begun: time.Now()}
	every, stop, stopped := logEvery, make(chan struct{}), make(chan struct{})
	m.mu.Lock()
	m.job, m.stop = j, func() {
		close(stop)
		<-stopped
	}
	if m.term != nil {
		every = redrawEvery
		m.bar = progressbar.NewOptions(cmp.Or(total, -1), append(barOptions(), progressbar.OptionSetWriter(m.w))...)
		if m.when = j.begun; m.view != nil {
			m.draw()
		}
	}
	m.mu.Unlock()
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				m.show()
			case <-stop:
				return
			}
		}
	}()
}

// barOptions returns the appearance of a bar.
func barOptions() []progressbar.Option {
	return []progressbar.Option{
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetSpinnerChangeInterval(0), // the meter redraws it
	}
}

// show redraws the terminal or logs the progress of the job.
func (m *meter) show() {
	m.mu.Lock()
	if m.job == nil || m.term != nil {
		m.draw()
		m.mu.Unlock()
		return
	}
	text := list(fmt.Sprintf("%s %d of %d %s", m.job.what, m.job.done, m.job.total, m.job.unit), m.job.note, m.job.rate(), m.job.left())
	m.mu.Unlock()
	m.log.Info(text)
}

// draw draws the view and the bar over the previous ones.
func (m *meter) draw() {
	if m.term == nil || !foreground(m.term) {
		return
	}
	now := time.Now()
	if m.job != nil && now.Sub(m.when) > suspended {
		m.drawn = nil // a shell has written to the terminal since
	}
	columns, rows := size(m.term)
	var lines []string
	if m.view != nil {
		lines = m.view(columns-1, rows-2) // leaves a line for the bar and one for the log
	}
	rows, text := m.rows(columns), m.up()
	m.drawn = nil
	for _, line := range lines {
		text += line + clearRight + "\r\n"
		m.drawn = append(m.drawn, width(line))
	}
	if m.job == nil || len(lines) < rows {
		text += clearBelow
	}
	_, _ = io.WriteString(m.w, text) // a failed redraw must not end the program
	m.when = now
	bar := ""
	if m.job != nil {
		m.job.draw(m.bar, columns-1-len("^C")) // the terminal's echo of Ctrl-C must not wrap
		bar = m.bar.String()
	}
	m.drawn = append(m.drawn, width(strings.TrimSpace(bar)))
}

// up moves the cursor to the beginning of the view.
func (m *meter) up() string {
	columns, _ := size(m.term)
	if rows := m.rows(columns); rows > 0 {
		return fmt.Sprintf("\r\x1b[%dA", rows)
	}
	return "\r"
}

// rows returns the number of rows from the beginning of the view to the cursor. A terminal that
// has become narrower wraps the longer lines.
func (m *meter) rows(columns int) (rows int) {
	for _, width := range m.drawn {
		rows += max(1, (width+columns-1)/columns)
	}
	return max(0, rows-1)
}

// Control sequences that clear the rest of a line and of the screen (ECMA-48, EL and ED).
const (
	clearRight = "\x1b[K"
	clearBelow = "\x1b[J"
)

// set sets the number of finished units of the job, and a note.
func (m *meter) set(done int, note string) {
	m.update(func(j *job) { j.done, j.note = done, note })
}

// add adds finished units and finer units.
func (m *meter) add(units, fine int) {
	m.update(func(j *job) { j.done, j.fine = j.done+units, j.fine+fine })
}

// update changes the job, if there is one, and redraws the terminal at intervals of at least
// redrawAtMost.
func (m *meter) update(change func(j *job)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.job == nil {
		return
	}
	change(m.job)
	if time.Since(m.when) >= redrawAtMost {
		m.draw()
	}
}

// end ends the job, if there is one, and removes its bar. The view remains.
func (m *meter) end() {
	m.mu.Lock()
	stop := m.stop
	m.job, m.bar, m.stop = nil, nil, nil
	if m.visible() {
		m.draw()
	}
	if m.view == nil {
		m.when = time.Time{}
	}
	m.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// amounts returns the progress since the job began, in the finest known units.
func (j *job) amounts() (done, total int) {
	if j.fineTotal > 0 {
		return min(j.fine, j.fineTotal-1), j.fineTotal
	}
	return j.done - j.resumed, j.total - j.resumed
}

// draw draws the bar of j in the given number of columns, with as much text as fits.
func (j *job) draw(bar *progressbar.ProgressBar, columns int) {
	const frame, most = len("  50% ||  _"), 20 // columns beside the bar and the text, and of the bar
	count := " " + strconv.Itoa(j.done)
	if j.total > 0 {
		count += "/" + strconv.Itoa(j.total)
	}
	short, _, _ := strings.Cut(j.what, ",")
	long, short, unit, left := j.what+count, short+count, " "+j.unit, j.left()
	room := columns - frame - 1
	text := fitting(room,
		list(long+unit, j.note, j.rate(), left), list(long+unit, j.note, left), list(short+unit, j.note, left),
		list(short+unit, left), list(short, left), short,
	)
	progressbar.OptionSetDescription(text)(bar)
	if j.total > 0 {
		done, total := j.amounts()
		progressbar.OptionSetWidth(min(most, room+1-utf8.RuneCountInString(text)))(bar)
		bar.ChangeMax(max(1, total))
		_ = bar.Set(max(0, min(done, total-1))) // the bar ends itself when it is full
	}
	_ = bar.RenderBlank()
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
