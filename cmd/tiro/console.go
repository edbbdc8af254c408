package main

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tiro/configs"
	"tiro/env"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// console shows a run to people, and keeps its log.
type console struct {
	meter *meter
	log   *slog.Logger
	file  *runLog
	seats int
	first []any // what the first phase is told with; nil once it has begun

	generations int       // the run's last one; 0: no limit
	until       time.Time // no generation begins after this; zero: no limit
}

var _ train.Progress = (*console)(nil)

// newConsole returns a console that shows the run that o asks for on w and
// appends its log to a file in the run folder. Nothing is written before the
// run writes, so that a folder that is refused stays as it was.
func newConsole(w io.Writer, game env.Game, o *trainOptions) *console {
	c := &console{
		meter: newMeter(w), file: &runLog{path: filepath.Join(o.run, logFile), limit: maxLog}, seats: game.Spec().Players,
		first:       []any{"game", game.Spec().Name, "run", o.run, "workers", o.workers},
		generations: o.generations,
	}
	if o.hours > 0 {
		c.until = time.Now().Add(o.time())
	}
	c.log = slog.New(slog.NewMultiHandler(c.meter.log.Handler(), slog.NewJSONHandler(c.file, nil)))
	return c
}

func (c *console) close() {
	c.meter.end()
	c.file.close()
}

// Start implements train.Progress.
func (c *console) Start(phase string, done, total, actions int) {
	if c.first != nil {
		c.log.Info("train", c.first...)
		c.first = nil
	}
	if phase == train.PhaseLearn {
		c.meter.begin(phase, "steps", total-done)
		return
	}
	if done > 0 {
		phase = fmt.Sprintf("%s, %d games before,", phase, done)
	}
	c.meter.beginFine(phase, amount{total: total - done, unit: "games"}, amount{total: actions, unit: "positions"})
}

// Advance implements train.Progress.
func (c *console) Advance(n, actions int) { c.meter.add(n, actions) }

// Done implements train.Progress.
func (c *console) Done() { c.meter.end() }

// Generation implements train.Progress.
func (c *console) Generation(m rundir.Metrics) {
	results := make([]string, 0, c.seats+1)
	for _, wins := range m.Wins {
		results = append(results, strconv.Itoa(wins))
	}
	attrs := []any{
		"won", strings.Join(results, "/"), "drawn", m.Draws,
		"plies", fmt.Sprintf("%.0f", m.MeanPlies),
		"steps", m.TotalSteps,
		"policy", fmt.Sprintf("%.3f", m.TrainingLoss.PolicyKL),
		"outcome", fmt.Sprintf("%.3f", m.TrainingLoss.Outcome),
	}
	if n := m.Endings[selfplay.Resignation]; n > 0 {
		attrs = append(attrs, "resigned", n)
	}
	if m.Machine != nil {
		attrs = append(attrs,
			"seconds", fmt.Sprintf("%.0f", m.Machine.Seconds),
			"evals/s", fmt.Sprintf("%.0f", m.Machine.EvaluationsPerSecond))
		attrs = append(attrs, amounts(m.Machine)...)
	}
	if left := c.left(m); left > 0 {
		attrs = append(attrs, "left", left.Round(time.Second).String())
	}
	c.log.Info(fmt.Sprintf("generation %d", m.Generation), attrs...)
}

// amounts says what a run takes of memory and of disk.
func amounts(m *rundir.Machine) (attrs []any) {
	for _, part := range []struct {
		name  string
		bytes int64
	}{{"memory", m.Resident}, {"heap", m.Heap}, {"disk", m.Disk}} {
		if part.bytes > 0 { // the system tells
			attrs = append(attrs, part.name, configs.Bytes(part.bytes).About())
		}
	}
	return attrs
}

// left returns about how long the run will go on after generation m; 0: for
// ever, or it is over.
func (c *console) left(m rundir.Metrics) time.Duration {
	switch {
	case !c.until.IsZero():
		return time.Until(c.until)
	case c.generations > 0 && m.Machine != nil:
		return time.Duration(float64(c.generations-m.Generation) * m.Machine.Seconds * float64(time.Second))
	}
	return 0
}
