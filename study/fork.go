package study

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// Fork is a new run that goes on from a checkpoint of another one with other settings:
// another seed, other options of the game, or another network, usually a larger one. A new
// network learns from the games of the replay window, without self-play, until it is level
// with the old one: until it predicts the games of the newest generation as well as the
// network before that generation did, which, like the new one, has not learned from them.
// What counts is the sum of the policy's KL divergence and the outcome's loss.
type Fork struct {
	From     *Origin
	Game     env.Game      // of the new run: that of From or a variant of it
	Config   rundir.Config // of the new run; the kind of optimizer is that of the old one
	Dir      string        // folder of the new run, which must not be there
	MaxSteps int           // a new network has to be level after so many steps
	Note     string        // comment in the new run's config.yaml

	Backend kernel.Backend
	CPU     func() time.Duration // see train.Options

	Begin    func(Level)                            // is told what a new network has to reach; may be nil
	Progress func(steps int, cpuTime time.Duration) // is called after every step; may be nil
	Measured func(steps int, m train.Measured)      // is told how good a new network is, now and then; may be nil
}

// Level is what the new network of a Fork has to reach.
type Level struct {
	Checkpoint int // of the old network that is measured
	train.Measured
}

// Learned is how the new network of a Fork came to be; zero if there is none.
type Learned struct {
	Old     Level
	New     train.Measured
	Steps   int
	CPUTime time.Duration
}

// newPart is which part of the samples is drawn between two measurements of a new
// network, on average.
const newPart = 0.5

// NewNetwork reports whether the network is another one than that of the old run.
func (f *Fork) NewNetwork() bool { return f.Config.Net != f.From.Config.Net }

// Validate returns the first fault. It reads no file.
func (f *Fork) Validate() error {
	if f.MaxSteps < 1 {
		return fmt.Errorf("study: fork: at most %d steps; want 1 or more", f.MaxSteps)
	}
	if err := rundir.CheckFork(&f.From.Config, &f.Config, f.NewNetwork()); err != nil {
		return fmt.Errorf("study: fork: %w", err)
	}
	if f.Config.Game != f.Game.Spec().Name {
		return fmt.Errorf("study: fork: game is %q in the configuration; want %q", f.Config.Game, f.Game.Spec().Name)
	}
	if err := f.Game.Spec().CheckNetwork(f.From.Game.Spec()); err != nil {
		return fmt.Errorf("study: fork: game is %q; want %q or a variant of it: %w", f.Config.Game, f.From.Config.Game, err)
	}
	if err := f.Config.Validate(); err != nil {
		return fmt.Errorf("study: fork: %w", err)
	}
	return nil
}

// games returns the games of the window that a new network learns from, and those of the
// newest generation, by which it is measured.
func (f *Fork) games(ctx context.Context) (training, newest []selfplay.Episode, err error) {
	window, err := f.From.window(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, _ := window.split(f.Config.Replay, 0)
	n := 0
	for i := range window.games {
		if window.games[i].generation == f.From.Generation {
			n++
		}
	}
	n = min(n, len(all))
	training, newest = all[:len(all)-n], all[len(all)-n:]
	if samplesOf(training) == 0 || samplesOf(newest) == 0 {
		return nil, nil, fmt.Errorf("generation %d and those before have too few games to learn from; want a later checkpoint", f.From.Generation)
	}
	return training, newest, nil
}

func (f *Fork) options(training []selfplay.Episode) train.FitOptions {
	batch := max(1, f.Config.Learner.BatchSize)
	return train.FitOptions{
		Game: f.Game, Config: f.Config, Backend: f.Backend, Games: training, Steps: f.MaxSteps,
		CPU: f.CPU, Progress: f.Progress, AskEvery: max(1, int(newPart*float64(samplesOf(training)))/batch),
	}
}

// MakeFork makes the new run. It appears complete or not at all. The same fork comes to
// the same bytes on all machines with the same backend.
func MakeFork(ctx context.Context, f Fork) (learned Learned, err error) {
	if err := f.Validate(); err != nil {
		return learned, err
	}
	if _, err := (disk.OS{}).Stat(f.Dir); err == nil {
		return learned, fmt.Errorf("study: fork: %s is there already; want a new folder", f.Dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return learned, fmt.Errorf("study: fork: %w", err)
	}
	run := rundir.Fork{
		From: f.From.folder, Generation: f.From.Generation, Game: f.Game, Find: f.From.find, Config: f.Config, Note: f.Note, Costs: true,
	}
	if f.NewNetwork() {
		if learned, run.Network, err = f.learn(ctx); err != nil {
			return learned, err
		}
	}
	return learned, run.Write(ctx, disk.OS{}, f.Dir)
}

// learn makes the new network.
func (f *Fork) learn(ctx context.Context) (learned Learned, network *rundir.Network, err error) {
	training, newest, err := f.games(ctx)
	if err == nil {
		learned.Old, err = f.level(newest)
	}
	if err != nil {
		return learned, nil, fmt.Errorf("study: fork: %w", err)
	}
	if f.Begin != nil {
		f.Begin(learned.Old)
	}
	o := f.options(training)
	o.Enough = func(steps int, w *net.Weights) (enough bool, err error) {
		if learned.New, err = f.measure(w, newest); err != nil {
			return false, err
		}
		if f.Measured != nil {
			f.Measured(steps, learned.New)
		}
		return total(learned.New) <= total(learned.Old.Measured), nil
	}
	fitted, err := train.Fit(ctx, o)
	if err != nil {
		return learned, nil, err
	}
	learned.Steps, learned.CPUTime = fitted.Steps, fitted.CPUTime
	if !fitted.Enough {
		return learned, nil, fmt.Errorf("study: fork: after %d steps the network is not level: policy %.4f and outcome %.4f, those of checkpoint %d are %.4f and %.4f; want more steps, or another network",
			fitted.Steps, learned.New.PolicyKL, learned.New.Outcome, learned.Old.Checkpoint, learned.Old.PolicyKL, learned.Old.Outcome)
	}
	return learned, &rundir.Network{Weights: fitted.Weights, Optimizer: fitted.Optimizer, CPUTime: fitted.CPUTime}, nil
}

// level measures the network that the new one has to be level with. If the one before
// the newest generation is gone, that is the checkpoint itself, which has learned from
// the games.
func (f *Fork) level(newest []selfplay.Episode) (l Level, err error) {
	store := f.From.folder.Store(f.From.Game.Spec())
	l.Checkpoint = f.From.Generation - 1
	c, err := store.Load(l.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		l.Checkpoint = f.From.Generation
		c, err = store.Load(l.Checkpoint)
	}
	if err == nil {
		l.Measured, err = f.measure(c.Weights, newest)
	}
	return l, err
}

func (f *Fork) measure(w *net.Weights, games []selfplay.Episode) (train.Measured, error) {
	measured, _, err := train.Measure(f.Game, f.Backend, w, [][]selfplay.Episode{games})
	if err != nil {
		return train.Measured{}, err
	}
	return measured[0], nil
}

// total is the loss by which networks are compared, in nats.
func total(m train.Measured) float64 { return m.PolicyKL + m.Outcome }
