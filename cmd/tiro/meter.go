package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// How often a bar is redrawn while nothing happens, and how often a job is logged
// where there are no bars.
const (
	redrawEvery = time.Second
	logEvery    = 5 * time.Second
)

// meter shows the progress of jobs, one after the other: by a bar on a terminal,
// elsewhere by a log line every few seconds. It is a writer too: what is written
// to it appears above the bar. Its methods may be called from several goroutines,
// begin and end from one at a time.
type meter struct {
	w    io.Writer
	bars bool
	log  *slog.Logger

	mu  sync.Mutex
	job *job // under way, or nil
}

// job is a piece of work of known length.
type job struct {
	what  string
	steps amount
	fine  amount // progress between steps, which rate and time left are computed from; none if its unit is empty
	note  string
	begun time.Time
	bar   *progressbar.ProgressBar // nil where there are no bars
	stop  chan struct{}
	watch sync.WaitGroup // the goroutine that shows the job while it lasts
}

// amount is how far something has come.
type amount struct {
	done, total int // a total of 0 is unknown
	unit        string
}

// finest returns the amount that shows the progress of j best.
func (j *job) finest() *amount {
	if j.fine.unit != "" {
		return &j.fine
	}
	return &j.steps
}

// newMeter returns a meter that shows jobs on w.
func newMeter(w io.Writer) *meter {
	m := &meter{w: w, bars: isTerminal(w)}
	m.log = slog.New(people(m, colour(w)))
	return m
}

// Write writes p above the bar.
func (m *meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.job == nil || m.job.bar == nil {
		return m.w.Write(p)
	}
	if err := m.job.bar.Clear(); err != nil {
		return 0, err
	}
	n, err := m.w.Write(p)
	if err != nil {
		return n, err
	}
	return n, m.job.bar.RenderBlank()
}

// begin starts a job of total units, such as games.
func (m *meter) begin(what, unit string, total int) {
	m.beginFine(what, amount{total: total, unit: unit}, amount{})
}

// beginFine starts a job of long steps, such as games, whose progress between
// steps shows in a finer amount, such as moves.
func (m *meter) beginFine(what string, steps, fine amount) {
	j := &job{what: what, steps: steps, fine: fine, begun: time.Now(), stop: make(chan struct{})}
	every := logEvery
	if m.bars && steps.total > 0 {
		every = redrawEvery
		j.bar = newBar(m.w, j)
	}
	m.mu.Lock()
	m.job = j
	m.mu.Unlock()
	j.watch.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				m.show(j)
			case <-j.stop:
				return
			}
		}
	})
}

// newBar returns the bar of j. A total of -1 makes a bar without an end.
func newBar(w io.Writer, j *job) *progressbar.ProgressBar {
	finest := j.finest()
	total := cmp.Or(finest.total, -1)
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(j.title()),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString(finest.unit),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionSetSpinnerChangeInterval(0),
	)
}

// title returns the text in front of the bar.
func (j *job) title() string {
	title := j.what
	if j.fine.unit != "" {
		title += fmt.Sprintf(" %d/%d %s", j.steps.done, j.steps.total, j.steps.unit)
	}
	if j.note != "" {
		title += " " + j.note
	}
	return title
}

// line returns the log line of j.
func (j *job) line() (text string, attrs []any) {
	text = fmt.Sprintf("%s %d of %d %s", j.what, j.steps.done, j.steps.total, j.steps.unit)
	if j.fine.unit != "" {
		text += fmt.Sprintf(", %d %s", j.fine.done, j.fine.unit)
	}
	if j.note != "" {
		text += " " + j.note
	}
	took := time.Since(j.begun)
	finest := j.finest()
	if finest.done > 0 {
		attrs = append(attrs, "rate", rate(float64(finest.done)/took.Seconds()))
	}
	if finest.done > 0 && finest.done < finest.total {
		left := time.Duration(float64(took) * float64(finest.total-finest.done) / float64(finest.done))
		attrs = append(attrs, "left", left.Round(time.Second).String())
	}
	return text, attrs
}

// rate returns a rate with three digits, or all digits before the point.
func rate(perSecond float64) string {
	if perSecond >= 100 {
		return fmt.Sprintf("%.0f/s", perSecond)
	}
	return fmt.Sprintf("%.3g/s", perSecond)
}

// show redraws the bar of j or logs its progress.
func (m *meter) show(j *job) {
	m.mu.Lock()
	if j.bar != nil {
		_ = j.bar.RenderBlank() // a bar that cannot be drawn is no reason to fail
		m.mu.Unlock()
		return
	}
	text, attrs := j.line()
	m.mu.Unlock()
	m.log.Info(text, attrs...)
}

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

// update changes the job, if there is one, and redraws its bar.
func (m *meter) update(change func(j *job)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.job
	if j == nil {
		return
	}
	change(j)
	if j.bar == nil {
		return
	}
	if title := j.title(); title != j.what {
		j.bar.Describe(title)
	}
	finest := j.finest()
	done := finest.done
	if finest.total > 0 {
		done = min(done, finest.total-1) // a full bar vanishes, and the total may be an estimate
	}
	_ = j.bar.Set(done)
}

// end ends the job, if there is one, and removes its bar.
func (m *meter) end() {
	m.mu.Lock()
	j := m.job
	m.job = nil
	m.mu.Unlock()
	if j == nil {
		return
	}
	close(j.stop)
	j.watch.Wait()
	if j.bar != nil {
		_ = j.bar.Clear()
	}
}
