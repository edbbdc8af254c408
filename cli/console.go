package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/study/progress"
	"tiro/train"
)

// console shows a run in sentences, and keeps its log, which has all messages and the
// run's state. The functions of its events are called by one goroutine at a time.
type console struct {
	custom  bool // the configuration is from a file that was named
	meter   *meter
	view    *view        // nil: there are lines only
	both    *slog.Logger // to the terminal and to the log
	log     *slog.Logger // to the log only
	file    *rundir.Log
	run     progress.Run
	facts   []any    // of the first line of the log
	part    string   // which training of several this is; empty if it is the only one
	monitor *monitor // that TensorBoard reads

	begun   bool          // whether a phase has begun
	first   int           // the newest generation when the run began or was resumed
	origins []card.Origin // what the run continues
}

// newConsole returns a console that shows the run of the options on w and appends
// its log to a file in the run folder. It writes nothing before the run does, so
// that a folder that is refused stays as it was.
func newConsole(w io.Writer, game env.Game, config recipe.Config, o *trainOptions) *console {
	shown := w
	if o.plain {
		shown = linesOnly{w}
	}
	c := &console{
		meter: newMeter(shown), file: &rundir.Log{Dir: o.run, Limit: rundir.MaxLog},
		run: progress.Run{Game: game, Config: config, State: progress.State{
			Phase: progress.Training, Generations: o.generations, CPUSeconds: hours(o.cpuHours).Seconds(),
		}},
		part:   o.part,
		custom: o.config != "",
		facts:  []any{"game", game.Spec().Name, "run", o.run, "workers", o.workers},
	}
	if o.hours > 0 {
		c.run.State.Until = time.Now().Add(hours(o.hours))
	}
	log := slog.NewJSONHandler(c.file, nil)
	onFailure(w, func(_ []byte, err error) {
		slog.New(log).Warn("standard error is gone; the run goes on, and what it has to say is only here", "reason", err)
	})
	c.log, c.both = slog.New(log), slog.New(slog.NewMultiHandler(c.meter.log.Handler(), log))
	if o.part == "" && terminalOf(shown) != nil {
		c.view = newView(c.run, colour(shown))
		c.meter.watchBy(c.view.lines)
	}
	c.monitor = &monitor{folder: o.tensorBoard, warn: c.warn}
	return c
}

// linesOnly is a writer that is taken for no terminal.
type linesOnly struct{ io.Writer }

// close ends the line of progress, the log and what other tools read.
func (c *console) close() {
	c.end()
	c.monitor.close()
	c.file.Close()
}

// end ends the line of progress and the view, whose last lines stay.
func (c *console) end() {
	c.meter.end()
	if c.view != nil {
		c.view.finish()
	}
	c.meter.leave()
}

// event shows what happens in a run.
func (c *console) event(e train.Event) {
	switch e := e.(type) {
	case train.Message:
		switch {
		case e.Level >= slog.LevelWarn:
			c.warn(e.Text, e.Attrs...)
		case e.Level >= slog.LevelInfo:
			c.both.Info(e.Text, e.Attrs...)
		default:
			c.log.Info(e.Text, e.Attrs...)
		}
	case train.Started:
		c.start(e.Generation)
	case train.Phase:
		c.phase(e)
	case train.Advanced:
		c.meter.add(e.Steps, e.Actions)
	case train.Played:
		c.played(e.Episode)
	case train.PhaseEnded:
		c.meter.end()
	case train.Completed:
		c.complete(e.Metrics)
	}
}

// say prints a sentence.
func (c *console) say(format string, values ...any) {
	c.meter.log.Info(fmt.Sprintf(format, values...))
}

// warn prints a warning.
func (c *console) warn(text string, attrs ...any) { c.both.Warn(text, attrs...) }

// played shows a game that has ended.
func (c *console) played(e selfplay.Episode) {
	if c.view != nil {
		c.view.end(e)
	}
}

// start notes where the run begins or is resumed.
func (c *console) start(generation int) {
	c.first = generation
	folder := rundir.At(disk.OS{}, c.file.Dir)
	c.run.Metrics, _ = folder.Metrics()   // without them, only the time left is wrong
	c.origins, _ = recipe.Origins(folder) // without them, only what is said at the beginning
	c.show()
	c.monitor.open(c.run.Metrics)
}

// ended logs how the training has ended.
func (c *console) ended(err error) {
	s := &c.run.State
	switch {
	case err == nil:
		s.Phase, s.Reason = progress.Finished, "its target is reached"
	case errors.Is(err, train.ErrInterrupted):
		s.Phase, s.Reason = progress.Stopped, "interrupted"
		c.meter.log.Info("stopped; all finished games are saved", "run", c.file.Dir)
	default:
		s.Phase, s.Reason = progress.Failed, err.Error()
	}
	if c.begun {
		c.log.Info(s.Phase, progress.StateKey, s)
	}
}

// settings returns, as --set takes them, the settings in which the run differs from
// the configuration that comes with the program for its game.
func (c *console) settings() string {
	shipped, err := recipe.Shipped(c.run.Config.Game)
	if err != nil {
		return ""
	}
	changed, err := configs.Assignments(&shipped, &c.run.Config)
	if err != nil {
		return ""
	}
	return strings.Join(changed, " ")
}

// phase starts the line of progress of a phase. The first one is introduced.
func (c *console) phase(p train.Phase) {
	if !c.begun {
		c.begun = true
		c.log.Info("train", append(c.facts, progress.StateKey, c.run.State)...)
		if changed := c.settings(); changed != "" && !c.custom && c.part == "" {
			c.both.Info("settings that differ from the shipped ones", "set", changed)
		}
		switch {
		case c.part != "":
			c.say("%s", c.part)
		case c.first == 0:
			c.introduce()
		}
	}
	switch p.Name {
	case train.PhaseLearn:
		c.meter.begin("learn", "steps", p.Total)
	case train.PhaseDuels:
		c.meter.begin("duels", "games", p.Total)
	default:
		c.meter.resume(p.Name, "games", p.Done, p.Total)
		if m := c.run.Newest(); m != nil {
			c.meter.expect(int(m.MeanPlies * float64(p.Total-p.Done)))
		}
	}
}

// introduce says what will happen.
func (c *console) introduce() {
	from, known := "random weights", c.precedent()
	if n := len(c.origins); n > 0 {
		o := &c.origins[n-1]
		from, known = fmt.Sprintf("the network of generation %d of %s", o.Generation, o.Game), ""
	}
	c.say("learning %s from %s", c.run.Game.Spec().Name, from)
	first, later := c.run.Config.Games(1), ""
	if most := c.run.Config.MaxGames(); most > first {
		later = fmt.Sprintf(", later up to %d", most)
	}
	c.say("a generation is %d games against itself%s, then learning, then a checkpoint", first, later)
	if c.run.Config.Duels.Share > 0 {
		c.say("every %s: duels against %s and its own past", plural(c.run.Config.Duels.Every, "generation"), c.run.Config.Duels.Anchor)
	}
	if known != "" {
		c.say("%s", known)
	}
	c.say("Ctrl-C stops it, and the same command resumes; no finished game is lost")
}

// precedent says what became of the bundled model with the same settings; nothing if there
// is none.
func (c *console) precedent() string {
	model, err := bundled.Find(c.run.Game.Spec().Name)
	if err != nil {
		return ""
	}
	p := recipe.Precedent(model.Card, &c.run.Config)
	if p == nil {
		return ""
	}
	return fmt.Sprintf("trained like this, the bundled model was %s Elo above %s at generation %d", p.Elo, model.Card.Rated.Anchor, p.Generation)
}

// show shows the run in the view.
func (c *console) show() {
	if c.view != nil {
		c.view.show(c.run)
	}
}

// complete reports a generation that is complete. The losses are those on new games: unlike
// those on the samples learned from they show progress, the outcome's beside that of a
// constant guess.
func (c *console) complete(m rundir.Metrics) {
	c.run.Metrics = append(c.run.Metrics, m)
	c.monitor.add(&m)
	c.show()
	took := ""
	if m.Machine != nil {
		took = fmt.Sprintf(" (%s)", progress.Duration(seconds(m.Machine.Seconds)))
	}
	text := fmt.Sprintf("generation %d%s: %s, policy %.2f, outcome %.2f of %.2f",
		m.Generation, took, results(&m), m.ValidationLoss.PolicyKL, m.ValidationLoss.Outcome, m.BaselineLoss)
	if left := c.run.Left(time.Now()); left > 0 {
		text += ", " + progress.Duration(left) + " left"
	}
	c.say("%s", text)
	c.log.Info(text, progress.StateKey, c.run.State)
	if m.Duels != nil {
		c.both.Info(duelText(m))
	}
	if m.Generation == 1 && c.part == "" {
		c.explain(m)
	}
}

// explain says after the first generation what its line means and what comes next.
func (c *console) explain(m rundir.Metrics) {
	c.say("won and drawn count its own games, by seat; losses are on new games: policy is how far the network is from what its searches find, and outcome should fall below the second number, that of a constant guess")
	every := c.run.Config.Duels.Every
	if m.Machine == nil || m.Machine.Seconds <= 0 || c.run.Config.Duels.Share == 0 || every <= 1 || c.run.State.Generations > 0 && c.run.State.Generations < every {
		return
	}
	c.say("first duels after generation %d, in about %s", every, progress.Duration(seconds(float64(every-1)*m.Machine.Seconds)))
}

// duelText returns the duels of a generation for people. The interval is left out
// where it only says that everything was won.
func duelText(m rundir.Metrics) string {
	seats := len(m.Wins)
	results := make([]string, len(m.Duels))
	for i, d := range m.Duels {
		results[i] = fmt.Sprintf("%v of %d against %s", d.Points, d.Games, d.Opponent)
		if d.Points > 0 && d.Points < float64(d.Games) {
			results[i] += fmt.Sprintf(" (%.0f to %.0f%%)", 100*d.Low, 100*d.High)
		}
	}
	text := fmt.Sprintf("generation %d: %s", m.Generation, strings.Join(results, ", "))
	if m.Rating != nil {
		text += fmt.Sprintf("; rating %+.0f ±%.0f Elo above generation 0", m.Rating.Elo, m.Rating.Error)
	}
	if seats > 2 {
		text += fmt.Sprintf("; equal players have 1 of %d", seats)
	}
	return text
}

// plural returns a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// seconds returns a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
