package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tiro/configs"
	"tiro/disk"
	"tiro/models"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/selfplay"
	"tiro/train"
)

// Fits is a comparison of networks, losses and schedules by learning from the same
// games, without self-play.
type Fits struct {
	Dir      string // folder for the weights and the results
	Window   *Window
	Variants []Variant // the base, which the others are compared with, first
	Seeds    int       // fits of each variant, with the seeds 1, 2, …
	HoldOut  float64   // part of the games that is not learned from, and measured

	// How long each fit is: one of them is 0.
	Steps   int
	CPUTime time.Duration

	Backend  kernel.Backend
	Tiro     string               // version of the program
	CPU      func() time.Duration // see train.Options
	Progress FitProgress          // may be nil
}

// FitProgress is called when a fit begins. It returns what to call after every step,
// and what to call when the fit has ended or was interrupted.
type FitProgress func(title string) (step func(steps int, cpuTime time.Duration), end func())

// fitParts is the number of sets into which the games that are held out are divided,
// and by which the losses vary as they would with other games.
const fitParts = 20

const maxHoldOut = 0.9

// Validate reports the first fault. It touches no file.
func (f *Fits) Validate() error {
	switch {
	case f.Window == nil || len(f.Variants) == 0:
		return errors.New("study: fit: want a window of games and a base")
	case f.Seeds < 1:
		return fmt.Errorf("study: fit: seeds %d; want 1 or more", f.Seeds)
	case !(f.HoldOut > 0 && f.HoldOut <= maxHoldOut):
		return fmt.Errorf("study: fit: %v of the games are held out; want more than 0, at most %v", f.HoldOut, maxHoldOut)
	}
	if err := checkVariants(f.Variants); err != nil {
		return err
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

// checkVariants returns an error unless all variants have names of their own, are of
// the same game, and change something.
func checkVariants(variants []Variant) error {
	seen := map[string]bool{}
	for i := range variants {
		v := &variants[i]
		switch {
		case v.Name == "" || strings.ContainsAny(v.Name, `/\=:`) || seen[v.Name]:
			return fmt.Errorf("variant %q: the name %q is taken or no name for a folder", v.Name, v.Name)
		case v.Config.Game != variants[0].Config.Game:
			return fmt.Errorf("variant %q: another game cannot be compared", v.Name)
		case i > 0 && len(configs.Changes(&variants[0].Config, &v.Config)) == 0:
			return fmt.Errorf("variant %q changes nothing: the base has the same settings", v.Name)
		}
		seen[v.Name] = true
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
func Fit(ctx context.Context, f Fits) (report FitReport, err error) {
	if err := f.Validate(); err != nil {
		return FitReport{}, err
	}
	unlock, err := disk.LockFolder(disk.OS{}, f.Dir)
	if err != nil {
		return FitReport{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	known, err := openFits(disk.OS{}, f.Dir)
	if err != nil {
		return FitReport{}, err
	}
	sets := make([][]selfplay.Episode, fitParts)
	for i, game := range f.heldOut() {
		sets[i%fitParts] = append(sets[i%fitParts], game)
	}
	var all []FitRecord
	for seed := 1; seed <= f.Seeds; seed++ {
		for i := range f.Variants {
			title := fmt.Sprintf("fit %d of %d, %s, seed %d", len(all)+1, f.Seeds*len(f.Variants), f.Variants[i].Name, seed)
			record, fresh, err := f.fit(ctx, known, title, &f.Variants[i], seed, sets)
			if err != nil {
				return FitReport{}, err
			}
			all = append(all, record)
			if !fresh {
				continue
			}
			known = append(slices.DeleteFunc(known, func(k FitRecord) bool { return k.folder() == record.folder() }), record)
			if err := saveReport(disk.OS{}, f.Dir, FitReport{Header: fitHeader, Fits: known}); err != nil {
				return FitReport{}, err
			}
		}
	}
	report = f.report(all)
	report.Fits = append(report.Fits, slices.DeleteFunc(known, func(k FitRecord) bool { // of variants that were not asked for
		return slices.ContainsFunc(all, func(r FitRecord) bool { return r.folder() == k.folder() })
	})...)
	return report, saveReport(disk.OS{}, f.Dir, report)
}

// fit returns the record of a fit: a known one, or one that is done now.
func (f *Fits) fit(ctx context.Context, known []FitRecord, title string, v *Variant, seed int, sets [][]selfplay.Episode) (record FitRecord, fresh bool, err error) {
	if record, err = f.record(v, seed); err != nil {
		return record, false, err
	}
	path := filepath.Join(f.Dir, record.folder(), models.WeightsFile)
	for _, old := range known {
		if old.folder() == record.folder() && old.Recipe == record.Recipe && old.intact(path) {
			old.Variant = record.Variant // with its configuration
			return old, false, nil
		}
	}
	training, _ := f.Window.split(v.Config.Replay, f.HoldOut)
	o := f.options(v, seed, training)
	end := func() {}
	if f.Progress != nil {
		o.Progress, end = f.Progress(title)
	}
	fitted, err := train.Fit(ctx, o)
	end()
	if err != nil {
		return record, false, err
	}
	record.Steps, record.CPUSeconds, record.Samples = fitted.Steps, fitted.CPUTime.Seconds(), samplesOf(training)
	if record.Parts, record.Baseline, err = train.Measure(f.Window.Game, f.Backend, fitted.Weights, sets); err != nil {
		return record, false, err
	}
	record.Weights, err = saveWeights(disk.OS{}, path, fitted.Weights)
	return record, true, err
}
