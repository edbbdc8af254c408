package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/replay"
	"tiro/selfplay"
)

// FitOptions say how Fit learns from games that are there, without self-play.
type FitOptions struct {
	Game    env.Game
	Config  recipe.Config  // of which Net, Learner and Seed count
	Backend kernel.Backend // computes the network
	Games   []selfplay.Episode

	// How long it learns: one of them is 0.
	Steps   int
	CPUTime time.Duration // needs CPU

	CPU      func() time.Duration                   // CPU time that the program has taken so far; may be nil
	Progress func(steps int, cpuTime time.Duration) // called after every step; may be nil
}

// Fitted is what Fit comes to.
type Fitted struct {
	Weights *net.Weights // those that play
	Steps   int
	CPUTime time.Duration // 0 if it is unknown
}

// Validate reports every fault of the options.
func (o *FitOptions) Validate() error {
	var f faults.List
	f.Check((o.Steps > 0) != (o.CPUTime > 0), "length", fmt.Sprintf("%d steps and %v of CPU time", o.Steps, o.CPUTime), "either of them, above 0")
	f.Check(o.CPUTime <= 0 || o.CPU != nil, "CPU time limit", o.CPUTime, "a count of CPU time")
	run := Options{Game: o.Game, Config: o.Config, Workers: 1}
	run.Config.Selfplay.GameSchedule = nil // nobody plays
	f.Add(run.Validate())
	return f.Err()
}

// part returns which part of the fit is done, 0 to 1.
func (o *FitOptions) part(done *Fitted) float64 {
	if o.Steps > 0 {
		return float64(done.Steps) / float64(o.Steps)
	}
	return float64(done.CPUTime) / float64(o.CPUTime)
}

// Fit trains a new network on games as a run with the same seed would train it on a
// replay buffer that never changes. With Steps the result is the same on all machines
// with the same backend. With CPUTime it ends with the step that reaches it. To
// recipe.Cooldown a fit is generation 1.
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
		return Fitted{}, errors.New("train: fit: the games have no samples to learn from")
	}
	var err error
	if r.learner, err = newLearner(&r.Options, o.Config.InitialWeights(o.Game.Spec())); err != nil {
		return Fitted{}, fmt.Errorf("train: fit: %w", err)
	}
	done := Fitted{}
	for o.Steps > 0 && done.Steps < o.Steps || o.CPUTime > 0 && done.CPUTime < o.CPUTime {
		if err := context.Cause(ctx); err != nil {
			return Fitted{}, fmt.Errorf("train: fit: %w", err)
		}
		at := moment{done.Steps, 1, o.part(&done)}
		if _, err := r.learner.step(&r.window.buffer, at, r.draws(0, done.Steps, drawSamples)); err != nil {
			return Fitted{}, fmt.Errorf("train: fit: step %d: %w", done.Steps, err)
		}
		done.Steps++
		done.CPUTime = o.CPU() - began
		if o.Progress != nil {
			o.Progress(done.Steps, done.CPUTime)
		}
	}
	done.Weights = r.learner.inference().Clone()
	return done, nil
}

// Measured is how well a network predicts games that it has not learned from. The
// losses are of every sample once, as it was played.
type Measured struct {
	Samples  int     `json:"samples"`
	PolicyKL float64 `json:"policy_kl"` // of the search's policy from the network's, nats
	Outcome  float64 `json:"outcome"`   // cross-entropy of the game's result, nats
}

// measureRows is how many samples are measured at a time.
const measureRows = 256

// Measure returns how well a network predicts each of several sets of games, and the
// baseline of the outcome's loss over all of them, as validate has it. The search's
// value and a discount do not matter: the outcome that counts is that of the game.
func Measure(game env.Game, backend kernel.Backend, w *net.Weights, sets [][]selfplay.Episode) (measured []Measured, baseline float64, err error) {
	trainer, err := graph.New(w.Clone(), graph.Default(), graph.Options{Backend: backend, Rows: measureRows})
	if err != nil {
		return nil, 0, fmt.Errorf("train: measure: %w", err)
	}
	sampler := replay.NewSampler(game, replay.Targets{Discount: 1}, trainer)
	results := make([]float64, game.Spec().Outcomes())
	for _, games := range sets {
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
