package main

import (
	"io"
	"log/slog"
	"sync"
	"time"
)

// How often a line of progress is drawn while nothing happens, how often at most,
// and how often a job is logged where there is no terminal.
const (
	redrawEvery  = time.Second
	redrawAtMost = 100 * time.Millisecond
	logEvery     = 5 * time.Second
)

// usualColumns is the width of a terminal that does not say.
const usualColumns = 80

// meter shows the progress of jobs, one after the other: by a line that is
// redrawn on a terminal, elsewhere by a log line every few seconds. It is a writer
// too: what is written to it appears above the line. Its methods may be called
// from several goroutines, begin and end from one at a time.
type meter struct {
	w     io.Writer
	width func() int // columns of the terminal; nil: w is none
	log   *slog.Logger

	mu    sync.Mutex
	job   *job // under way, or nil
	drawn bool // whether the line of job is on the terminal
	when  time.Time

	stop  chan struct{} // ends the goroutine that shows the job while it lasts
	watch sync.WaitGroup
}

// newMeter returns a meter that shows jobs on w.
func newMeter(w io.Writer) *meter {
	m := &meter{w: w}
	if isTerminal(w) {
		m.width = func() int { return columns(w, usualColumns) }
	}
	m.log = slog.New(people(m, colour(w)))
	return m
}

// Write writes p above the line.
func (m *meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	drawn := m.drawn
	m.clear()
	n, err := m.w.Write(m.fold(p))
	if drawn && err == nil {
		m.draw()
	}
	return n, err
}

// fold breaks lines between words that are longer than the terminal is wide.
func (m *meter) fold(p []byte) []byte {
	if m.width == nil {
		return p
	}
	return []byte(fold(string(p), m.width()-1))
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
	if m.width != nil {
		every = redrawEvery
	}
	stop := make(chan struct{})
	m.mu.Lock()
	m.job, m.stop = &j, stop
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
	if m.width != nil {
		m.draw()
		m.mu.Unlock()
		return
	}
	text, attrs := j.record()
	m.mu.Unlock()
	m.log.Info(text, attrs...)
}

// draw draws the line of the job.
func (m *meter) draw() {
	line := m.job.line(time.Now(), m.width()-1)
	_, err := io.WriteString(m.w, "\r"+line+clearRight) // a line that cannot be drawn is no reason to fail
	m.drawn, m.when = err == nil, time.Now()
}

// clear removes the line from the terminal, if it is there.
func (m *meter) clear() {
	if m.drawn {
		_, _ = io.WriteString(m.w, "\r"+clearRight)
		m.drawn = false
	}
}

// clearRight is the control sequence that clears the rest of a line (ECMA-48, EL).
const clearRight = "\x1b[K"

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
	if m.width != nil && time.Since(m.when) >= redrawAtMost {
		m.draw()
	}
}

// end ends the job, if there is one, and removes its line.
func (m *meter) end() {
	m.mu.Lock()
	running := m.job != nil
	m.clear()
	m.job = nil
	m.mu.Unlock()
	if running {
		close(m.stop)
		m.watch.Wait()
	}
}
