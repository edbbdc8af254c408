package train

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/net/graph"
	"tiro/recipe"
	"tiro/replay"
	"tiro/selfplay"
)

// FitOptions are options for Fit, which learns from existing games without self-play.
type FitOptions struct {
	Game    env.Game
	Config  recipe.Config // Net, Learner and Seed are used
	Backend net.Backend   // computes the network
	Games   []selfplay.Episode

	// Duration of learning: one of the two is 0.
	Steps   int
	CPUTime time.Duration // requires CPU

	CPU      func() time.Duration                   // CPU time of the program so far; may be nil
	Progress func(steps int, cpuTime time.Duration) // called after every step; may be nil
}

// Fitted is the result of Fit.
type Fitted struct {
	Weights *net.Weights // inference weights
	Steps   int
	CPUTime time.Duration // 0 if unknown
}

// Validate reports every fault of the options.
func (o *FitOptions) Validate() error {
	var f faults.List
	f.Check((o.Steps > 0) != (o.CPUTime > 0), "length", fmt.Sprintf("%d steps and %v of CPU time", o.Steps, o.CPUTime), "one of the two")
	f.Check(o.CPUTime <= 0 || o.CPU != nil, "CPU time limit", o.CPUTime, "0 without a CPU clock")
	run := Options{Game: o.Game, Config: o.Config, Workers: 1}
	run.Config.Selfplay.GameSchedule = nil // no games are played
	f.Add(run.Validate())
	return f.Err()
}

// part returns the completed fraction of the fit, 0 to 1.
func (o *FitOptions) part(done *Fitted) float64 {
	if o.Steps > 0 {
		return float64(done.Steps) / float64(o.Steps)
	}
	return float64(done.CPUTime) / float64(o.CPUTime)
}

// Fit trains a new network on games, as a run with the same seed would train it on a constant
// replay buffer. With Steps, the result is the same on all machines with the same backend. With
// CPUTime, Fit ends with the step that reaches it. For recipe.Cooldown, the fit is generation 1.
func Fit(ctx context.Context, o FitOptions) (Fitted, error) {
	if err := o.Validate(); err != nil {
		return Fitted{}, fmt.Errorf("train: fit: %w", err)
	}
	if o.CPU == nil {
		o.CPU = func() time.Duration { return 0 }
	}
	r := run{Options: Options{Game: o.Game, Config: o.Config, Backend: o.Backend}}
	began := o.CPU()
	r.window = newWindow(&r.Options, 0)
	r.window.buffer.Add(o.Games)
	if r.window.buffer.Len() == 0 {
		return Fitted{}, errors.New("train: fit: the games have no samples")
	}
	var err error
	if r.learner, err = newLearner(&r.Options, o.Config.InitialWeights(o.Game.Spec())); err != nil {
		return Fitted{}, fmt.Errorf("train: fit: %w", err)
	}
	defer r.learner.trainer.Close()
	done := Fitted{}
	fill := func(step int) { r.learner.fill(&r.window.buffer, r.draws(0, step, drawSamples)) }
	fill(0)
	for o.Steps > 0 && done.Steps < o.Steps || o.CPUTime > 0 && done.CPUTime < o.CPUTime {
		if err := context.Cause(ctx); err != nil {
			return Fitted{}, fmt.Errorf("train: fit: %w", err)
		}
		at := moment{done.Steps, 1, o.part(&done)}
		if _, err := r.learner.step(at, func() { fill(at.step + 1) }); err != nil {
			return Fitted{}, fmt.Errorf("train: fit: step %d: %w", done.Steps, err)
		}
		done.Steps++
		done.CPUTime = o.CPU() - began
		if o.Progress != nil {
			o.Progress(done.Steps, done.CPUTime)
		}
	}
	if err := r.learner.trainer.Sync(); err != nil {
		return Fitted{}, fmt.Errorf("train: fit: %w", err)
	}
	done.Weights = r.learner.inference().Clone()
	return done, nil
}

// Measured describes how well a network predicts games that were not used for training. The
// losses are means over all samples.
type Measured struct {
	Samples  int     `json:"samples"`
	PolicyKL float64 `json:"policy_kl"` // divergence of the search's policy from the network's, nats
	Outcome  float64 `json:"outcome"`   // cross-entropy of the game's result, nats
}

// measureRows is the number of samples in a batch of Measure.
const measureRows = 256

// Measure returns how well a network predicts each of several sets of games, and the baseline of
// the outcome loss over all sets, as defined for validate. The outcome is the result of the game,
// regardless of search values and discount.
func Measure(game env.Game, backend net.Backend, w *net.Weights, sets iter.Seq[[]selfplay.Episode]) (measured []Measured, baseline float64, err error) {
	trainer, err := graph.New(w.Clone(), graph.Default(), graph.Options{Backend: net.Kernels(backend), Rows: measureRows})
	if err != nil {
		return nil, 0, fmt.Errorf("train: measure: %w", err)
	}
	sampler := replay.NewSampler(game, w.Config, replay.Targets{Discount: 1}, trainer)
	results := make([]float64, game.Spec().Outcomes())
	for games := range sets {
		buffer, m := replay.NewBuffer(game, replay.Keep{}, 0), Measured{}
		buffer.Add(games)
		for m.Samples < buffer.Len() {
			n := sampler.FillInOrder(&buffer, m.Samples)
			addTargets(results, trainer.Batch(), n)
			loss, err := trainer.Measure()
			if err != nil {
				return nil, 0, fmt.Errorf("train: measure: %w", err)
			}
			m.PolicyKL += float64(float64(n) * (loss.Policy - loss.PolicyEntropy))
			m.Outcome += float64(float64(n) * loss.Outcome)
			m.Samples += n
		}
		if m.Samples > 0 {
			m.PolicyKL /= float64(m.Samples)
			m.Outcome /= float64(m.Samples)
		}
		measured = append(measured, m)
	}
	return measured, entropy(results), nil
}
