package main

import (
	"fmt"
	"io"
	"log/slog"
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
	first []any // attributes of the message at the first phase; nil once it was logged

	generations int       // the run's last one; 0: no limit
	until       time.Time // no generation begins after this; zero: no limit
}

// newConsole returns a console that shows the run of the options on w and appends
// its log to a file in the run folder. It writes nothing before the run does, so
// that a folder that is refused stays as it was.
func newConsole(w io.Writer, game env.Game, o *trainOptions) *console {
	c := &console{
		meter: newMeter(w), file: &runLog{dir: o.run, limit: maxLog},
		first:       []any{"game", game.Spec().Name, "run", o.run, "workers", o.workers},
		generations: o.generations,
	}
	if o.hours > 0 {
		c.until = time.Now().Add(o.time())
	}
	file := slog.NewJSONHandler(c.file, nil)
	onFailure(w, func(_ []byte, err error) {
		slog.New(file).Warn("standard error is gone; the run goes on, and what it has to say is only here", "reason", err)
	})
	c.log = slog.New(slog.NewMultiHandler(c.meter.log.Handler(), file))
	return c
}

// close ends the bar and the log.
func (c *console) close() {
	c.meter.end()
	c.file.close()
}

// events returns the functions by which a run tells the console how it proceeds.
func (c *console) events() train.Events {
	return train.Events{
		Info:       c.log.Info,
		Warn:       c.log.Warn,
		PhaseStart: c.phase,
		Progress:   c.meter.add,
		Expect:     c.meter.expect,
		PhaseEnd:   c.meter.end,
		Generation: c.generation,
	}
}

// phase starts the bar of a phase.
func (c *console) phase(p train.Phase) {
	if c.first != nil {
		c.log.Info("train", c.first...)
		c.first = nil
	}
	if p.Name == train.PhaseLearn {
		c.meter.begin(p.Name, "steps", p.Total)
		return
	}
	c.meter.start(job{
		what:  p.Name,
		steps: amount{done: p.Done, total: p.Total, unit: "games"},
		fine:  amount{unit: "positions"},
	})
}

// generation logs a generation that is complete.
func (c *console) generation(m rundir.Metrics) {
	results := make([]string, len(m.Wins))
	for seat, wins := range m.Wins {
		results[seat] = strconv.Itoa(wins)
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
			"seconds", fmt.Sprintf("%.0f", m.Machine.Seconds))
		if m.Machine.EvaluationsPerSecond > 0 { // unless the games were played before a stop
			attrs = append(attrs, "evals/s", fmt.Sprintf("%.0f", m.Machine.EvaluationsPerSecond))
		}
		attrs = append(attrs, amounts(m.Machine)...)
	}
	if left := c.left(m); left > 0 {
		attrs = append(attrs, "left", left.Round(time.Second).String())
	}
	c.log.Info(fmt.Sprintf("generation %d", m.Generation), attrs...)
}

// amounts returns what a run takes of memory and of disk, as far as it is known.
func amounts(m *rundir.Machine) (attrs []any) {
	for _, part := range []struct {
		name  string
		bytes int64
	}{{"memory", m.Resident}, {"heap", m.Heap}, {"disk", m.Disk}} {
		if part.bytes > 0 {
			attrs = append(attrs, part.name, configs.Bytes(part.bytes).About())
		}
	}
	return attrs
}

// left estimates how long the run will go on after generation m; 0 if it is over
// or has no limit.
func (c *console) left(m rundir.Metrics) time.Duration {
	switch {
	case !c.until.IsZero():
		return time.Until(c.until)
	case c.generations > 0 && m.Machine != nil:
		return time.Duration(float64(c.generations-m.Generation) * m.Machine.Seconds * float64(time.Second))
	}
	return 0
}
