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
	unit  string
	note  string
	done  int
	total int
	begun time.Time
	bar   *progressbar.ProgressBar // nil where there are no bars
	stop  chan struct{}
	watch sync.WaitGroup // the goroutine that tells of the job while it takes its time
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
	j := &job{what: what, unit: unit, total: total, begun: time.Now(), stop: make(chan struct{})}
	every := tellEvery
	if m.bars && total > 0 {
		every = redrawEvery
		j.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(m.w),
			progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString(unit),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(24),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetRenderBlankState(true),
		)
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

// tell shows where j stands.
func (m *meter) tell(j *job) {
	m.mu.Lock()
	if j.bar != nil {
		_ = j.bar.RenderBlank() // a bar that cannot be drawn is no reason to fail
		m.mu.Unlock()
		return
	}
	line := fmt.Sprintf("%s %d of %d %s", j.what, j.done, j.total, j.unit)
	if j.note != "" {
		line += " " + j.note
	}
	took := time.Since(j.begun)
	var attrs []any
	if j.done > 0 {
		left := time.Duration(float64(took) * float64(j.total-j.done) / float64(j.done))
		attrs = append(attrs, "rate", fmt.Sprintf("%.3g/s", float64(j.done)/took.Seconds()), "left", left.Round(time.Second).String())
	}
	m.mu.Unlock()
	m.log.Info(line, attrs...)
}

// set tells that done units of the job are done; note says more, if not empty.
func (m *meter) set(done int, note string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.job
	if j == nil {
		return
	}
	j.done, j.note = done, note
	if j.bar != nil {
		if note != "" {
			j.bar.Describe(j.what + " " + note)
		}
		_ = j.bar.Set(min(done, j.total))
	}
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
