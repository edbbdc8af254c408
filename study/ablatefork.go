package study

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"tiro/disk"
	"tiro/recipe"
	"tiro/rundir"
)

// origin returns the generation that all trainings go on from; 0: they begin with random
// weights.
func (a *Ablation) origin() int {
	if a.From == nil {
		return 0
	}
	return a.From.Generation
}

// last returns the generation of the trainings that is to play; 0: the newest.
func (a *Ablation) last() int {
	if a.Generations == 0 {
		return 0
	}
	return a.origin() + a.Generations
}

// firstSeed returns the seed of the first training of each variant. That of forks is the
// run's own, so that the first training of the base is the run going on.
func (a *Ablation) firstSeed() uint64 {
	if a.From == nil {
		return 1
	}
	return a.From.Config.Seed
}

// checkFork returns an error unless the run in a folder goes on from the origin, or from
// random weights if there is none.
func (a *Ablation) checkFork(dir string) error {
	metrics, err := rundir.At(disk.OS{}, dir).Metrics()
	if err != nil {
		return err
	}
	generation, newest := rundir.Forked(metrics)
	conflict := func(want string) error {
		return &ConflictError{dir, fmt.Sprintf("is a run that goes on from generation %d of another one; want %s, another folder, or this one moved elsewhere", generation, want)}
	}
	switch {
	case generation != a.origin() && a.From == nil:
		return conflict("--from with that checkpoint")
	case generation == 0 && a.From != nil && a.origin() > 0:
		return &ConflictError{dir, "begins with random weights, and not with the checkpoint to go on from; want another folder, or this one moved elsewhere"}
	case generation != a.origin():
		return conflict(fmt.Sprintf("the checkpoint of that generation and not of %d", a.origin()))
	case generation == 0:
		return nil
	}
	metrics, err = a.From.folder.Metrics()
	if err != nil {
		return err
	}
	for _, m := range metrics {
		if m.Generation == generation && m.Sum != newest.Sum {
			return conflict("that one")
		}
	}
	return nil
}

// fork makes the run folders of all trainings that are not there yet, before the run that
// they go on from can change.
func (a *Ablation) fork(ctx context.Context) error {
	if a.From == nil {
		return nil
	}
	for i := range a.Variants {
		for seed := 1; seed <= a.seeds(i); seed++ {
			o := a.options(&a.Variants[i], seed)
			_, err := disk.OS{}.Stat(o.Dir)
			if err == nil {
				continue
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			f := recipe.Fork{
				From: a.From.folder, Generation: a.From.Generation, Game: a.Game, Find: a.From.find, Config: o.Config,
				Note: fmt.Sprintf("goes on from generation %d of %s", a.From.Generation, a.From.folder.Path()),
			}
			if err := f.Write(ctx, disk.OS{}, o.Dir); err != nil {
				return err
			}
		}
	}
	return nil
}
