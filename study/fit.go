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

// Fits is a comparison of networks, losses and schedules by learning from the same
// games, without self-play.
type Fits struct {
	Comparison // its folder is for the weights and the report; each fit has the CPU time, or Steps

	Window  *Window
	HoldOut float64 // part of the games that is not learned from, and measured
	Steps   int     // of each fit; 0: as many as fit the CPU time
	// Begin, if set, is called when a fit begins. It returns what to call after every step,
	// and what to call at the end of the fit.
	Begin func(title string) (step func(steps int, cpuTime time.Duration), end func())
}

// fitParts is the number of sets into which the games that are held out are divided,
// and by which the losses vary as they would with other games.
const fitParts = 20

const maxHoldOut = 0.9

// Validate reports the first fault. It touches no file.
func (f *Fits) Validate() error {
	switch {
	case f.Window == nil || len(f.Variants) == 0:
		return errors.New("study: fit: want a window of games and a base")
	case !(f.HoldOut > 0 && f.HoldOut <= maxHoldOut):
		return fmt.Errorf("study: fit: %v of the games are held out; want more than 0, at most %v", f.HoldOut, maxHoldOut)
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
			return fmt.Errorf("variant %s: no samples are left to learn from; want a larger window, or less held out", v.Name)
		}
	}
	if n := len(f.heldOut()); n < 2 {
		return fmt.Errorf("%d games are held out; want 2 or more, by holding out a larger part or by a larger window", n)
	}
	return nil
}

// checkFitted returns an error if a variant changes a setting of the run that makes no
// difference to a fit.
func checkFitted(run *recipe.Config, v *Variant) error {
	for _, change := range configs.Changes(run, &v.Config) {
		if !slices.Contains([]string{"net", "learner", "replay"}, change.Section()) || change.Key == "replay.sample_reuse" {
			return fmt.Errorf("variant %q: %s: a fit depends on net, learner and the window of replay only", v.Name, change)
		}
	}
	return nil
}

// heldOut returns the games that are held out of the base's window.
func (f *Fits) heldOut() []selfplay.Episode {
	_, games := f.Window.split(f.Variants[0].Config.Replay, f.HoldOut)
	return games
}

// options returns how a variant is fitted with a seed.
func (f *Fits) options(v *Variant, seed int, games []selfplay.Episode) train.FitOptions {
	c := v.Config
	c.Seed = uint64(seed)
	return train.FitOptions{
		Game: f.Window.Game, Config: c, Backend: f.Backend, Games: games,
		Steps: f.Steps, CPUTime: f.CPUTime, CPU: f.CPU,
	}
}

// Fit fits all variants with all seeds, measures the networks on the games that are held
// out, and compares the variants with the base. The weights of each fit are those that
// play, in Dir/NAME-SEED. Finished fits are kept, and not done again by the same call.
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
	report.Trials = append(report.Trials, slices.DeleteFunc(known.Trials, func(k Trial) bool { // of variants that were not asked for
		return slices.ContainsFunc(all, func(t Trial) bool { return t.name() == k.name() })
	})...)
	return report, f.save(report)
}

// fit returns a trial: a known one, or one that is done now.
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
	if t.Fit.Parts, t.Fit.Baseline, err = train.Measure(f.Window.Game, f.Backend, fitted.Weights, sets); err != nil {
		return t, false, err
	}
	t.Fit.Weights, err = saveWeights(disk.OS{}, path, fitted.Weights)
	return t, true, err
}
