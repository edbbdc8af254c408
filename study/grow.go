package study

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"tiro/disk"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// Growth is a run that goes on with another network, usually a larger one. The new
// network learns from the games of the run's replay window, without self-play, until it
// is level with the old one: until it predicts the games of the newest generation as well
// as the network before that generation did, which, like the new one, has not learned
// from them. What counts is the sum of the policy's KL divergence and the outcome's loss.
type Growth struct {
	From     *Window
	Config   rundir.Config // of the new run; game, seed and kind of optimizer are those of the old one
	Dir      string        // folder of the new run, which must not be there
	MaxSteps int           // the new network has to be level after so many steps
	Note     string        // comment in the new run's config.yaml

	Backend kernel.Backend
	CPU     func() time.Duration // see train.Options

	Begin    func(Level)                            // is told what the new network has to reach; may be nil
	Progress func(steps int, cpuTime time.Duration) // is called after every step; may be nil
	Measured func(steps int, m train.Measured)      // is told how good the new network is, now and then; may be nil
}

// Level is what the new network of a Growth has to reach.
type Level struct {
	Checkpoint int // of the old network that is measured
	train.Measured
}

// Grown is what a Growth came to.
type Grown struct {
	Old     Level
	New     train.Measured
	Steps   int
	CPUTime time.Duration
}

// growPart is which part of the samples is drawn between two measurements, on average.
const growPart = 0.5

// Validate returns the first fault. It reads no file.
func (g *Growth) Validate() error {
	if g.MaxSteps < 1 {
		return fmt.Errorf("study: grow: at most %d steps; want 1 or more", g.MaxSteps)
	}
	if err := rundir.CheckGrowth(&g.From.Config, &g.Config); err != nil {
		return fmt.Errorf("study: grow: %w", err)
	}
	training, newest := g.games()
	if samplesOf(training) == 0 || samplesOf(newest) == 0 {
		return fmt.Errorf("study: grow: generation %d and those before have too few games to learn from; want a later checkpoint", g.From.Generation)
	}
	o := g.options(training)
	return o.Validate()
}

// games returns the games of the window that are learned from, and those of the newest
// generation, which are measured.
func (g *Growth) games() (training, newest []selfplay.Episode) {
	all, _ := g.From.split(g.Config.Replay, 0)
	n := 0
	for i := range g.From.games {
		if g.From.games[i].generation == g.From.Generation {
			n++
		}
	}
	n = min(n, len(all))
	return all[:len(all)-n], all[len(all)-n:]
}

func (g *Growth) options(training []selfplay.Episode) train.FitOptions {
	batch := max(1, g.Config.Learner.BatchSize)
	return train.FitOptions{
		Game: g.From.Game, Config: g.Config, Backend: g.Backend, Games: training, Steps: g.MaxSteps,
		CPU: g.CPU, Progress: g.Progress, AskEvery: max(1, int(growPart*float64(samplesOf(training)))/batch),
	}
}

// Grow makes the new run. It appears complete or not at all. The same growth comes to
// the same bytes on all machines with the same backend.
func Grow(ctx context.Context, g Growth) (grown Grown, err error) {
	if err := g.Validate(); err != nil {
		return grown, err
	}
	if _, err := (disk.OS{}).Stat(g.Dir); err == nil {
		return grown, fmt.Errorf("study: grow: %s is there already; want a new folder", g.Dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return grown, fmt.Errorf("study: grow: %w", err)
	}
	training, newest := g.games()
	if grown.Old, err = g.level(newest); err != nil {
		return grown, fmt.Errorf("study: grow: %w", err)
	}
	if g.Begin != nil {
		g.Begin(grown.Old)
	}
	o := g.options(training)
	o.Enough = func(steps int, w *net.Weights) (enough bool, err error) {
		if grown.New, err = g.measure(w, newest); err != nil {
			return false, err
		}
		if g.Measured != nil {
			g.Measured(steps, grown.New)
		}
		return total(grown.New) <= total(grown.Old.Measured), nil
	}
	fitted, err := train.Fit(ctx, o)
	if err != nil {
		return grown, err
	}
	grown.Steps, grown.CPUTime = fitted.Steps, fitted.CPUTime
	if !fitted.Enough {
		return grown, fmt.Errorf("study: grow: after %d steps the network is not level: policy %.4f and outcome %.4f, those of checkpoint %d are %.4f and %.4f; want more steps, or another network",
			fitted.Steps, grown.New.PolicyKL, grown.New.Outcome, grown.Old.Checkpoint, grown.Old.PolicyKL, grown.Old.Outcome)
	}
	f := rundir.Fork{
		From: g.From.folder, Generation: g.From.Generation, Game: g.From.Game, Find: g.From.find, Config: g.Config, Note: g.Note,
		Grown: &rundir.Grown{Weights: fitted.Weights, Optimizer: fitted.Optimizer, CPUTime: fitted.CPUTime},
	}
	return grown, f.Write(disk.OS{}, g.Dir)
}

// level measures the network that the new one has to be level with. If the one before
// the newest generation is gone, that is the checkpoint itself, which has learned from
// the games.
func (g *Growth) level(newest []selfplay.Episode) (l Level, err error) {
	store := g.From.folder.Store(g.From.Game.Spec())
	l.Checkpoint = g.From.Generation - 1
	c, err := store.Load(l.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		l.Checkpoint = g.From.Generation
		c, err = store.Load(l.Checkpoint)
	}
	if err == nil {
		l.Measured, err = g.measure(c.Weights, newest)
	}
	return l, err
}

func (g *Growth) measure(w *net.Weights, games []selfplay.Episode) (train.Measured, error) {
	measured, _, err := train.Measure(g.From.Game, g.Backend, w, [][]selfplay.Episode{games})
	if err != nil {
		return train.Measured{}, err
	}
	return measured[0], nil
}

// total is the loss by which networks are compared, in nats.
func total(m train.Measured) float64 { return m.PolicyKL + m.Outcome }
