package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"tiro/configs"
	"tiro/disk"
	"tiro/models"
	"tiro/recipe"
	"tiro/selfplay"
	"tiro/train"
)

// Fits compares networks, losses and schedules by training on the same games, without
// self-play.
type Fits struct {
	Comparison // its folder holds the weights and the report

	Window  *Window
	HoldOut float64 // fraction of the games for measuring, which are not learned from
	Steps   int     // length of each fit; 0 for a limit of CPU time
	// Begin, if set, is called when a fit begins. It returns a function to call after every
	// step, and one to call at the end of the fit.
	Begin func(title string) (step func(steps int, cpuTime time.Duration), end func())
}

// fitParts is the number of sets into which the held-out games are divided. The variation
// between them estimates the variation with other games.
const fitParts = 20

const maxHoldOut = 0.9

// Validate reports the first fault. It touches no file.
func (f *Fits) Validate() error {
	switch {
	case f.Window == nil || len(f.Variants) == 0:
		return errors.New("study: fit: a window of games and a base are required")
	case !(f.HoldOut > 0 && f.HoldOut <= maxHoldOut):
		return fmt.Errorf("study: fit: the fraction of games held out must be above 0 and at most %v, not %v", maxHoldOut, f.HoldOut)
	}
	if err := f.check(); err != nil {
		return fmt.Errorf("study: fit: %w", err)
	}
	for i := range f.Variants {
		v := &f.Variants[i]
		if err := checkFitted(&f.Window.Config, v); err != nil {
			return err
		}
		training, _ := f.Window.split(v.Config.Replay, f.HoldOut)
		o := f.options(v, 1, training)
		if err := o.Validate(); err != nil {
			return fmt.Errorf("variant %s: %w", v.Name, err)
		}
		if samplesOf(training) == 0 {
			return fmt.Errorf("variant %s: no samples to learn from; use a larger window, or hold out fewer games", v.Name)
		}
	}
	if n := len(f.heldOut()); n < 2 {
		return fmt.Errorf("at least 2 games must be held out, not %d; hold out a larger fraction, or use a larger window", n)
	}
	return nil
}

// checkFitted returns an error if a variant changes a setting of the run that does not affect
// a fit.
func checkFitted(run *recipe.Config, v *Variant) error {
	for _, change := range configs.Changes(run, &v.Config) {
		if !slices.Contains([]string{"net", "learner", "replay"}, change.Section()) || change.Key == "replay.sample_reuse" {
			return fmt.Errorf("variant %q: %s: a fit depends only on net, learner and the window of replay", v.Name, change)
		}
	}
	return nil
}

// heldOut returns the held-out games of the base's window.
func (f *Fits) heldOut() []selfplay.Episode {
	_, games := f.Window.split(f.Variants[0].Config.Replay, f.HoldOut)
	return games
}

// options returns the options of fitting a variant with a seed.
func (f *Fits) options(v *Variant, seed int, games []selfplay.Episode) train.FitOptions {
	c := v.Config
	c.Seed = uint64(seed)
	return train.FitOptions{
		Game: f.Window.Game, Config: c, Backend: f.Backend, Games: games,
		Steps: f.Steps, CPUTime: f.CPUTime, CPU: f.CPU,
	}
}

// Fit fits all variants with all seeds, measures the networks on the held-out games, and
// compares the variants with the base. It writes the EMA weights of each fit to Dir/NAME-SEED.
// It does not repeat finished fits.
func Fit(ctx context.Context, f Fits) (report Report, err error) {
	if err := f.Validate(); err != nil {
		return Report{}, err
	}
	known, unlock, err := f.open()
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	sets := make([][]selfplay.Episode, fitParts)
	for i, game := range f.heldOut() {
		sets[i%fitParts] = append(sets[i%fitParts], game)
	}
	var all []Trial
	err = f.each("fit", func(title string, v *Variant, seed int) error {
		t, fresh, err := f.fit(ctx, known.Trials, title, v, seed, sets)
		if err != nil {
			return err
		}
		all = append(all, t)
		if !fresh {
			return nil
		}
		known.Trials = append(slices.DeleteFunc(known.Trials, func(k Trial) bool { return k.name() == t.name() }), t)
		known.Measures = nil
		return f.save(known)
	})
	if err != nil {
		return Report{}, err
	}
	report = f.report(all)
	report.Trials = append(report.Trials, slices.DeleteFunc(known.Trials, func(k Trial) bool { // keep the fits of other variants
		return slices.ContainsFunc(all, func(t Trial) bool { return t.name() == k.name() })
	})...)
	return report, f.save(report)
}

// fit returns a known trial, or does a fresh one.
func (f *Fits) fit(ctx context.Context, known []Trial, title string, v *Variant, seed int, sets [][]selfplay.Episode) (t Trial, fresh bool, err error) {
	recipe, err := f.recipe(v)
	if err != nil {
		return t, false, err
	}
	t = Trial{Variant: *v, Seed: seed, Fit: &Fitted{Recipe: recipe}}
	path := filepath.Join(f.folder(v, seed), models.WeightsFile)
	for _, old := range known {
		if old.name() == t.name() && old.Fit != nil && old.Fit.Recipe == recipe && old.Fit.intact(path) {
			old.Variant = t.Variant // with its configuration
			return old, false, nil
		}
	}
	training, _ := f.Window.split(v.Config.Replay, f.HoldOut)
	o := f.options(v, seed, training)
	end := func() {}
	if f.Begin != nil {
		o.Progress, end = f.Begin(title)
	}
	fitted, err := train.Fit(ctx, o)
	end()
	if err != nil {
		return t, false, err
	}
	t.Cost = Cost{CPUSeconds: fitted.CPUTime.Seconds(), Generations: f.Window.Generation, Games: len(training), Steps: fitted.Steps}
	if t.Fit.Parts, t.Fit.Baseline, err = train.Measure(f.Window.Game, f.Backend, fitted.Weights, slices.Values(sets)); err != nil {
		return t, false, err
	}
	t.Fit.Weights, err = saveWeights(disk.OS{}, path, fitted.Weights)
	return t, true, err
}
