package main

import (
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// How often a bar is drawn again though nothing has happened, and how often a
// log line tells of a job where there is no bar.
const (
	redrawEvery = time.Second
	tellEvery   = 5 * time.Second
)

// meter shows how far jobs have come, one after the other: by a bar on a
// terminal, elsewhere by a log line every few seconds. It is a writer too:
// what is written to it appears above the bar. Its methods may be called by
// several goroutines, begin and end by one at a time.
type meter struct {
	w    io.Writer
	bars bool
	log  *slog.Logger

	mu  sync.Mutex
	job *job // under way, or nil
}

// job is something of known length.
type job struct {
	what  string
	steps amount
	fine  amount // progress between steps, if its unit is not empty: what rate and time left go by
	note  string
	begun time.Time
	bar   *progressbar.ProgressBar // nil where there are no bars
	stop  chan struct{}
	watch sync.WaitGroup // the goroutine that tells of the job while it takes its time
}

// amount is how far something has come.
type amount struct {
	done, total int
	unit        string
}

// guess returns the amount that tells best how far j has come. Its total may be
// 0, which is to say unknown.
func (j *job) guess() *amount {
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

// beginFine starts a job of steps that take long, such as games, between which
// a finer amount tells of progress, such as moves.
func (m *meter) beginFine(what string, steps, fine amount) {
	j := &job{what: what, steps: steps, fine: fine, begun: time.Now(), stop: make(chan struct{})}
	every := tellEvery
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
				m.tell(j)
			case <-j.stop:
				return
			}
		}
	})
}

// newBar draws the bar of j.
func newBar(w io.Writer, j *job) *progressbar.ProgressBar {
	guess := j.guess()
	total := guess.total
	if total == 0 {
		total = -1 // a bar without an end
	}
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(j.title()),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString(guess.unit),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionSetSpinnerChangeInterval(0),
	)
}

// title says what stands before the bar.
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

// line says where j stands, where there is no bar.
func (j *job) line() (text string, attrs []any) {
	text = fmt.Sprintf("%s %d of %d %s", j.what, j.steps.done, j.steps.total, j.steps.unit)
	if j.fine.unit != "" {
		text += fmt.Sprintf(", %d %s", j.fine.done, j.fine.unit)
	}
	if j.note != "" {
		text += " " + j.note
	}
	took := time.Since(j.begun)
	guess := j.guess()
	if guess.done > 0 {
		attrs = append(attrs, "rate", rate(float64(guess.done)/took.Seconds()))
	}
	if guess.done > 0 && guess.done < guess.total {
		left := time.Duration(float64(took) * float64(guess.total-guess.done) / float64(guess.done))
		attrs = append(attrs, "left", left.Round(time.Second).String())
	}
	return text, attrs
}

// rate writes so many a second with three digits, or all before the point.
func rate(perSecond float64) string {
	if perSecond >= 100 {
		return fmt.Sprintf("%.0f/s", perSecond)
	}
	return fmt.Sprintf("%.3g/s", perSecond)
}

// tell shows where j stands.
func (m *meter) tell(j *job) {
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

// set tells that done units of the job are done; note says more, if not empty.
func (m *meter) set(done int, note string) {
	m.update(func(j *job) { j.steps.done, j.note = done, note })
}

// add tells that so many more steps are done, and finer units.
func (m *meter) add(steps, fine int) {
	m.update(func(j *job) {
		j.steps.done += steps
		j.fine.done += fine
	})
}

// update changes the job, if there is one, and draws its bar again.
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
	guess := j.guess()
	done := guess.done
	if guess.total > 0 {
		done = min(done, guess.total-1) // a full bar vanishes, and a guess may fall short
	}
	_ = j.bar.Set(done)
}

// end takes the bar away.
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
