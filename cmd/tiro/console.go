package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/train"
)

// logFile is the log of a run, in its folder.
const logFile = "log.jsonl"

// console shows a run to people, and keeps its log.
type console struct {
	meter *meter
	log   *slog.Logger
	file  *lateFile
	done  int // of the phase under way, since it was begun here
	seats int
	first []any // what the first phase is told with; nil once it has begun
}

var _ train.Progress = (*console)(nil)

// newConsole returns a console that shows the run in the folder dir on w and
// appends its log to a file there. Nothing is written before the run writes,
// so that a folder that is refused stays as it was.
func newConsole(w io.Writer, game env.Game, dir string, workers int) *console {
	c := &console{
		meter: newMeter(w), file: &lateFile{path: filepath.Join(dir, logFile)}, seats: game.Spec().Players,
		first: []any{"game", game.Spec().Name, "run", dir, "workers", workers},
	}
	c.log = slog.New(slog.NewMultiHandler(c.meter.log.Handler(), slog.NewJSONHandler(c.file, nil)))
	return c
}

func (c *console) close() {
	c.meter.end()
	c.file.close()
}

// Start implements train.Progress.
func (c *console) Start(phase string, done, total int) {
	if c.first != nil {
		c.log.Info("train", c.first...)
		c.first = nil
	}
	unit := "games"
	if phase == train.PhaseLearn {
		unit = "steps"
	}
	what := phase
	if done > 0 {
		what = fmt.Sprintf("%s, %d %s before,", phase, done, unit)
	}
	c.done = 0
	c.meter.begin(what, unit, total-done)
}

// Advance implements train.Progress.
func (c *console) Advance(n int) {
	c.done += n
	c.meter.set(c.done, "")
}

// Done implements train.Progress.
func (c *console) Done() { c.meter.end() }

// Generation implements train.Progress.
func (c *console) Generation(m train.Metrics) {
	results := make([]string, 0, c.seats+1)
	for _, wins := range m.Wins {
		results = append(results, strconv.Itoa(wins))
	}
	attrs := []any{
		"won", strings.Join(results, "/"), "drawn", m.Draws,
		"plies", fmt.Sprintf("%.0f", m.MeanPlies),
		"steps", m.TotalSteps,
		"policy", fmt.Sprintf("%.3f", m.Train.PolicyKL),
		"outcome", fmt.Sprintf("%.3f", m.Train.Outcome),
	}
	if m.Machine != nil {
		attrs = append(attrs,
			"seconds", fmt.Sprintf("%.0f", m.Machine.Seconds),
			"evals/s", fmt.Sprintf("%.0f", m.Machine.EvaluationsPerSecond))
	}
	c.log.Info(fmt.Sprintf("generation %d", m.Generation), attrs...)
}

// lateFile is a file to append to that is opened by the first Write.
type lateFile struct {
	path string
	file *os.File
}

func (f *lateFile) Write(p []byte) (int, error) {
	if f.file == nil {
		file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			return 0, err
		}
		f.file = file
	}
	return f.file.Write(p)
}

func (f *lateFile) close() {
	if f.file != nil {
		f.file.Close()
	}
}
