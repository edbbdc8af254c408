package cli

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// How often a line of progress is drawn while nothing happens, how often at most,
// and how often a job is logged where there is no terminal.
const (
	redrawEvery  = time.Second
	redrawAtMost = 100 * time.Millisecond
	logEvery     = 5 * time.Second
	suspended    = 5 * time.Second // nothing is drawn for so long only if the program was stopped
)

// usualColumns is the width of a terminal that does not say.
const usualColumns = 80

// meter shows the progress of jobs, one after the other: by a line that is
// redrawn on a terminal, elsewhere by a log line every few seconds. Above the line a
// view may show more. It is a writer too: what is written to it appears above both, and
// scrolls away with the rest of the terminal. Its methods may be called from several
// goroutines, begin and end from one at a time.
type meter struct {
	w    io.Writer
	size func() (columns, rows int) // of the terminal; 0 rows: unknown; nil: w is none
	log  *slog.Logger

	mu     sync.Mutex
	view   func(columns, rows int) []string // returns lines for above the job's, none if there is no room; nil: none
	job    *job                             // under way, or nil
	height int                              // rows of view and job that are on the terminal, the cursor in the last one
	when   time.Time                        // when they were drawn

	stop  chan struct{} // ends the goroutine that shows the job while it lasts
	watch sync.WaitGroup
}

// newMeter returns a meter that shows jobs on w.
func newMeter(w io.Writer) *meter {
	m := &meter{w: w}
	if terminalOf(w) != nil {
		m.size = func() (int, int) {
			if columns, rows, ok := size(w); ok {
				return columns, rows
			}
			return usualColumns, 0
		}
	}
	m.log = slog.New(people(m, colour(w)))
	return m
}

// Write writes p above the line.
func (m *meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	drawn := m.height > 0
	text := m.home()
	if drawn {
		text += clearBelow
	}
	_, err := io.WriteString(m.w, text+m.fold(p))
	m.height = 0
	if drawn && err == nil {
		m.draw()
	}
	return len(p), err
}

// fold breaks lines between words that are longer than the terminal is wide.
func (m *meter) fold(p []byte) string {
	if m.size == nil {
		return string(p)
	}
	columns, _ := m.size()
	return fold(string(p), columns-1)
}

// watchBy sets the view, before the first job.
func (m *meter) watchBy(view func(columns, rows int) []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size != nil {
		m.view = view
	}
}

// leave ends the view, whose last lines stay on the terminal.
func (m *meter) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.height > 0 {
		m.draw()
		_, _ = io.WriteString(m.w, "\r\n")
	}
	m.view, m.height = nil, 0
}

// begin starts a job of total units, such as games; 0: nobody knows how many.
func (m *meter) begin(what, unit string, total int) {
	m.start(job{what: what, steps: amount{total: total, unit: unit}})
}

// start starts a job.
func (m *meter) start(j job) {
	j.begun = time.Now()
	j.pace.add(j.begun, j.finest().done)
	every := logEvery
	if m.size != nil {
		every = redrawEvery
	}
	stop := make(chan struct{})
	m.mu.Lock()
	m.job, m.stop = &j, stop
	m.when = j.begun
	if m.view != nil {
		m.draw()
	}
	m.mu.Unlock()
	m.watch.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				m.show(&j)
			case <-stop:
				return
			}
		}
	})
}

// show redraws the line of j or logs its progress.
func (m *meter) show(j *job) {
	m.mu.Lock()
	j.pace.add(time.Now(), j.finest().done)
	if m.size != nil {
		m.draw()
		m.mu.Unlock()
		return
	}
	text, attrs := j.record()
	m.mu.Unlock()
	m.log.Info(text, attrs...)
}

// draw draws the lines of the view and of the job in the place of those before.
func (m *meter) draw() {
	now := time.Now()
	lines := m.lines(now)
	if m.job != nil && now.Sub(m.when) > suspended {
		m.height = 0 // the program was stopped, and a shell has written since
	}
	var b strings.Builder
	b.WriteString(m.home())
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("\r" + line + clearRight)
	}
	if len(lines) < m.height {
		b.WriteString(clearBelow)
	}
	_, err := io.WriteString(m.w, b.String()) // what cannot be drawn is no reason to fail
	m.height, m.when = len(lines), now
	if err != nil {
		m.height = 0
	}
}

// lines returns what is to be on the terminal, the line of the job last.
func (m *meter) lines(now time.Time) (lines []string) {
	columns, rows := m.size()
	if m.view != nil {
		lines = m.view(columns-1, rows-2) // without the line of the job, and one of the log
	}
	if m.job != nil {
		lines = append(lines, m.job.line(now, columns-1))
	}
	return lines
}

// home returns what moves the cursor to the beginning of the lines that are drawn. It
// goes up no further than they are high: a terminal that was made narrower may keep
// rows of them above.
func (m *meter) home() string {
	switch m.height {
	case 0:
		return ""
	case 1:
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", m.height-1)
}

// clear removes the lines from the terminal, if they are there.
func (m *meter) clear() {
	if m.height > 0 {
		_, _ = io.WriteString(m.w, m.home()+clearBelow)
		m.height = 0
	}
}

// Control sequences that clear the rest of a line and of the screen (ECMA-48, EL and
// ED).
const (
	clearRight = "\x1b[K"
	clearBelow = "\x1b[J"
)

// set sets how many steps of the job are done, and a note to show with them.
func (m *meter) set(done int, note string) {
	m.update(func(j *job) { j.steps.done, j.note = done, note })
}

// add adds steps and finer units that are done.
func (m *meter) add(steps, fine int) {
	m.update(func(j *job) {
		j.steps.done += steps
		j.fine.done += fine
	})
}

// expect sets how many finer units the job is expected to take from here on.
func (m *meter) expect(left int) {
	m.update(func(j *job) { j.fine.total = j.fine.done + left })
}

// whole sets how much time is left of what the job is a part of, in words.
func (m *meter) whole(left string) {
	m.update(func(j *job) { j.whole = left })
}

// length estimates how long the job takes in all. It is not known at first.
func (m *meter) length() (d time.Duration, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.job == nil {
		return 0, false
	}
	took, a := time.Since(m.job.begun), m.job.finest()
	if took < 2*redrawEvery || a.done == 0 || a.total == 0 {
		return 0, false
	}
	return time.Duration(float64(took) * float64(a.total) / float64(a.done)), true
}

// update changes the job, if there is one, and redraws its line if the last time
// was not just now.
func (m *meter) update(change func(j *job)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.job == nil {
		return
	}
	change(m.job)
	if m.size != nil && time.Since(m.when) >= redrawAtMost {
		m.draw()
	}
}

// end ends the job, if there is one, and removes its line. The view stays.
func (m *meter) end() {
	m.mu.Lock()
	running := m.job != nil
	m.job = nil
	if m.view == nil {
		m.clear()
	} else if m.height > 0 {
		m.draw()
	}
	m.mu.Unlock()
	if running {
		close(m.stop)
		m.watch.Wait()
	}
}
