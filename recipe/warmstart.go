package recipe

import (
	"context"
	"fmt"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/rundir"
	"tiro/selfplay"
)

// WarmStart is a new run whose checkpoint 0 has the network of another run instead of
// random weights. It takes neither the optimizer nor the games.
type WarmStart struct {
	Game       env.Game          // of the run
	Config     Config            // of the run
	Note       string            // comment in its config.yaml
	Checkpoint models.Checkpoint // checkpoint 0
	Origins    []card.Origin     // origins of the network; the last is the run that it is taken from; none for random weights
	Games      *Given            // games of generation 1; nil if the run plays them
}

// Write creates the run folder, which appears complete or not at all, even if ctx is
// cancelled. The parent folder must exist and must not contain the new name.
func (s *WarmStart) Write(ctx context.Context, fsys disk.FS, dir string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	config := s.Config
	err := s.Games.configure(&config, s.Game, 1)
	if err != nil {
		return fmt.Errorf("recipe: warm start: %w", err)
	}
	err = writeRun(fsys, dir, func(l *rundir.Locked) error {
		if err := l.Store(s.Game.Spec()).Save(s.Checkpoint); err != nil {
			return err
		}
		if len(s.Origins) > 0 {
			if err := writeOrigins(l, s.Origins); err != nil {
				return err
			}
		}
		if err := s.Games.write(l, &config, s.Game); err != nil {
			return err
		}
		return write(l, &config, s.Note)
	})
	if err != nil {
		return fmt.Errorf("recipe: warm start: %w", err)
	}
	return nil
}

// WarmConfig returns the initial configuration of a run with the network of the last of its
// origins: the other run's configuration After its generations and samples. Among averaged
// runs it is the first one's, with their mean number of samples.
func WarmConfig(origins []card.Origin) (Config, error) {
	last := len(origins) - 1
	o := origins[last]
	c, err := OriginConfig(o)
	if err != nil {
		return c, err
	}
	return c.After(o.Generation, (o.Network.Samples-card.Start(origins[:last]).Samples)/(1+len(o.Averaged))), nil
}

// After returns the configuration for a run that continues with the network of a run after
// the given generations and samples, and counts both from 0. Schedules begin with the
// current step. A cool-down that has begun is dropped. Learning-rate drops depend on the
// number of steps, which is computed from the samples.
func (c Config) After(generations, samples int) Config {
	p, l := &c.Selfplay, &c.Learner
	c.GivenGames = GivenGames{}
	c.GenerationSchedule = stepsAfter(generations, c.GenerationSchedule, func(s *GenerationStep) *int { return &s.Generation })
	p.SimulationSchedule = stepsAfter(generations, p.SimulationSchedule, func(s *selfplay.SimulationStep) *int { return &s.Generation })
	p.GameSchedule = stepsAfter(generations, p.GameSchedule, func(s *selfplay.GameStep) *int { return &s.Generation })
	taken := int(float64(samples) * c.Replay.SampleReuse / float64(l.BatchSize))
	l.LearningRateDrops = slices.Clone(l.LearningRateDrops)
	for i := range l.LearningRateDrops {
		l.LearningRateDrops[i].Step = max(0, l.LearningRateDrops[i].Step-taken)
	}
	if l.Cooldown.Share > 0 || l.Cooldown.After < generations {
		l.Cooldown = Cooldown{Share: l.Cooldown.Share}
	} else {
		l.Cooldown.After -= generations
	}
	return c
}

// stepsAfter returns the current and later steps of a schedule after the given number of
// generations, with their generations counted from there.
func stepsAfter[S any](generations int, schedule []S, at func(*S) *int) []S {
	left := slices.Clone(schedule)
	for i := range left {
		*at(&left[i]) = max(0, *at(&left[i])-generations)
	}
	for len(left) > 1 && *at(&left[1]) == 0 {
		left = left[1:]
	}
	return left
}
