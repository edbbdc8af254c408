package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/progress"
	"tiro/train"
	"tiro/train/telemetry"
)

// console prints the progress of a run. It also writes the log, with all messages and the
// state of the run, and the event file for TensorBoard. The trainer sends it events from one
// goroutine at a time.
type console struct {
	options *trainOptions
	meter   *meter
	view    *progress.View // shown on a terminal; changed by meter.update
	both    *slog.Logger   // logs to the terminal and to the log
	log     *slog.Logger   // logs to the log only
	file    *rundir.Log
	board   *telemetry.TensorBoard // nil without --tensorboard
	run     progress.Run

	begun   bool          // whether a phase has begun
	first   int           // newest generation when the run began or was resumed
	origins []card.Origin // runs and models that the run continues
	phase   train.Phase   // current phase, with the steps done so far
}

// newConsole returns a console that prints to w and appends to the log in the run folder.
// It writes nothing before the run does, so that a rejected folder remains unchanged.
func newConsole(w io.Writer, game env.Game, config recipe.Config, o *trainOptions) *console {
	shown := w
	if o.plain {
		shown = linesOnly{w}
	}
	c := &console{
		options: o, meter: newMeter(shown), file: &rundir.Log{Dir: o.run, Limit: rundir.MaxLog},
		run: progress.Run{Game: game, Config: config, State: progress.State{
			Phase: progress.Training, Generations: o.generations,
		}},
	}
	if o.hours > 0 {
		c.run.State.Until = time.Now().Add(hours(o.hours))
	}
	log := slog.NewJSONHandler(c.file, nil)
	c.meter.failed = func(err error) {
		slog.New(log).Warn("standard error is closed; the run continues and logs here only", "reason", err)
	}
	c.log, c.both = slog.New(log), slog.New(slog.NewMultiHandler(c.meter.log.Handler(), log))
	c.view = progress.NewView(c.run, colour(shown))
	if o.part == "" && c.meter.term != nil {
		c.meter.view = c.view.Lines
	}
	return c
}

// linesOnly hides that a writer is a terminal.
type linesOnly struct{ io.Writer }

// close ends the progress bar, the log and the event file.
func (c *console) close() {
	c.end()
	if c.board != nil {
		c.telemetry(c.board.Close())
	}
	c.file.Close()
}

// end ends the progress bar and the view, whose last lines remain.
func (c *console) end() {
	c.meter.end()
	c.meter.update(func(*job) { c.view.Finish() })
	c.meter.leave()
}

// event handles an event of the trainer.
func (c *console) event(e train.Event) {
	switch e := e.(type) {
	case train.Message:
		to := c.both
		if e.Level < slog.LevelInfo {
			to = c.log
		}
		to.Log(context.Background(), max(e.Level, slog.LevelInfo), e.Text, e.Attrs...)
	case train.Started:
		c.start(e.Generation)
	case train.Phase:
		c.beginPhase(e)
	case train.Advanced:
		c.phase.Done += e.Steps
		c.meter.add(e.Steps, e.Actions)
	case train.Played:
		c.meter.update(func(*job) { c.view.Played(e.Episode) })
	case train.PhaseEnded:
		c.meter.end()
	case train.Completed:
		c.complete(e.Metrics)
	}
}

// say logs sentences, except empty ones, to the terminal only.
func (c *console) say(all ...string) {
	for _, text := range all {
		if text != "" {
			c.meter.log.Info(text)
		}
	}
}

// start records the generation at which the run begins or is resumed.
func (c *console) start(generation int) {
	c.first = generation
	folder := rundir.At(disk.OS{}, c.file.Dir)
	c.run.Metrics, _ = folder.Metrics()   // on an error, only the time left is wrong
	c.origins, _ = recipe.Origins(folder) // on an error, only the introduction is wrong
	c.meter.update(func(*job) { c.view.Show(c.run) })
	if c.options.tensorBoard != "" {
		var err error
		c.board, err = telemetry.Open(disk.OS{}, c.options.tensorBoard, time.Now, c.run.Metrics)
		c.telemetry(err)
	}
}

// telemetry reports an error of the event file, and stops writing it.
func (c *console) telemetry(err error) {
	if err != nil {
		c.both.Warn("no metrics for TensorBoard; the run continues", "reason", err)
		if c.board != nil {
			_ = c.board.Close()
		}
		c.board = nil
	}
}

// ended logs the end of the training.
func (c *console) ended(err error) {
	s := &c.run.State
	switch {
	case err == nil:
		s.Phase, s.Reason = progress.Finished, "target reached"
	case errors.Is(err, train.ErrInterrupted):
		s.Phase, s.Reason = progress.Stopped, "interrupted"
		c.meter.log.Info("stopped; all finished games are saved", "run", c.file.Dir)
		c.say(c.kept())
	default:
		s.Phase, s.Reason = progress.Failed, err.Error()
	}
	if c.begun {
		c.log.Info(s.Phase, progress.StateKey, s)
	}
}

// kept returns a line with the number of saved games of the current generation, "" if there are
// none.
func (c *console) kept() string {
	if c.phase.Name != train.PhaseSelfplay || c.phase.Done == 0 || c.phase.Done == c.phase.Total {
		return ""
	}
	return fmt.Sprintf("%d of %d games of generation %d are saved", c.phase.Done, c.phase.Total, c.run.Generation()+1)
}

// settings returns the differences from the shipped configuration of the game, in the form
// of --set.
func (c *console) settings() string {
	shipped, err := recipe.Shipped(c.run.Config.Game)
	if err != nil || c.options.config != "" || c.options.part != "" {
		return ""
	}
	return strings.Join(configs.Assignments(&shipped, &c.run.Config), " ")
}

// beginPhase starts the progress bar of a phase. Before the first one, it prints the
// introduction.
func (c *console) beginPhase(p train.Phase) {
	c.phase = p
	if !c.begun {
		c.begun = true
		c.log.Info("train", "game", c.run.Game.Spec().Name, "run", c.file.Dir, "workers", c.options.workers, progress.StateKey, c.run.State)
		if c.options.part == "" {
			c.both.Info("available", limits(c.file.Dir)...)
		}
		if changed := c.settings(); changed != "" {
			c.both.Info("settings that differ from the shipped ones", "set", changed)
		}
		kept := c.kept()
		c.say(kept, c.options.part)
		if c.first == 0 && kept == "" && c.options.part == "" {
			c.say(c.run.Introduction(c.origins)...)
			c.say("press Ctrl-C to stop; the same command resumes, and no finished game is lost")
		}
	}
	unit := "games"
	if p.Name == train.PhaseLearn {
		unit = "steps"
	}
	c.meter.begin(p.Name, unit, p.Done, p.Total)
	if m := c.run.Newest(); m != nil && p.Name == train.PhaseSelfplay {
		c.meter.update(func(j *job) { j.fineTotal = int(m.MeanPlies * float64(p.Total-p.Done)) })
	}
}

// complete reports a complete generation.
func (c *console) complete(m rundir.Metrics) {
	c.run.Metrics = append(c.run.Metrics, m)
	c.phase = train.Phase{}
	if c.board != nil {
		c.telemetry(c.board.Add(&m))
	}
	c.meter.update(func(*job) { c.view.Show(c.run) })
	text := c.run.Line(time.Now())
	c.say(text)
	c.log.Info(text, progress.StateKey, c.run.State)
	if duels := c.run.Duels(); duels != "" {
		c.both.Info(duels)
	}
	if m.Generation == 1 && c.options.part == "" {
		c.say(c.run.Explanation()...)
	}
}
