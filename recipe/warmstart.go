package recipe

import (
	"context"
	"fmt"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/replay"
	"tiro/rundir"
	"tiro/selfplay"
)

// WarmStart is a new run whose checkpoint 0 has the network of another run instead of
// random weights, and nothing else of that run: neither optimizer nor games.
type WarmStart struct {
	Game       env.Game          // of the run
	Config     Config            // of the run
	Note       string            // comment in its config.yaml
	Checkpoint models.Checkpoint // checkpoint 0
	Origins    []card.Origin     // the network's, last that of the run which it is taken from
}

// Write makes the run folder, which appears complete or, also if ctx is cancelled, not at
// all. The folder around it must be there, and nothing of this name in it.
func (s *WarmStart) Write(ctx context.Context, fsys disk.FS, dir string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := writeRun(fsys, dir, func(l *rundir.Locked) error {
		if err := l.Store(s.Game.Spec()).Save(s.Checkpoint); err != nil {
			return err
		}
		if err := writeOrigins(l, s.Origins); err != nil {
			return err
		}
		return write(l, &s.Config, s.Note)
	})
	if err != nil {
		return fmt.Errorf("recipe: warm start: %w", err)
	}
	return nil
}

// WarmConfig returns the configuration of a run that begins with the network of the last
// of its origins, before any changes: that of the other run After what it had done.
func WarmConfig(origins []card.Origin) (Config, error) {
	last := len(origins) - 1
	o := origins[last]
	c, err := OriginConfig(o)
	if err != nil {
		return c, err
	}
	return c.After(o.Generation, o.Network.Samples-card.Start(origins[:last]).Samples), nil
}

// After returns what is left of the configuration of a run after so many generations and
// samples, for one that goes on with its network and counts both from 0: schedules begin
// with the step that was reached. A cool-down that has begun is over. The learning-rate
// drops depend on how many steps were taken, which is computed from the samples by the
// settings.
func (c Config) After(generations, samples int) Config {
	p, l := &c.Selfplay, &c.Learner
	c.GenerationSchedule = stepsAfter(generations, c.GenerationSchedule, func(s *GenerationStep) *int { return &s.Generation })
	p.SimulationSchedule = stepsAfter(generations, p.SimulationSchedule, func(s *selfplay.SimulationStep) *int { return &s.Generation })
	p.GameSchedule = stepsAfter(generations, p.GameSchedule, func(s *selfplay.GameStep) *int { return &s.Generation })
	taken := stepsFor(c.Replay, samples, l.BatchSize)
	l.LearningRateDrops = slices.Clone(l.LearningRateDrops)
	for i := range l.LearningRateDrops {
		l.LearningRateDrops[i].Step = max(0, l.LearningRateDrops[i].Step-taken)
	}
	if l.Cooldown.After < generations {
		l.Cooldown = Cooldown{}
	} else {
		l.Cooldown.After -= generations
	}
	return c
}

// stepsFor returns how many steps a run takes with so many samples.
func stepsFor(c replay.Config, samples, batch int) int {
	return int(float64(samples) * c.SampleReuse / float64(batch))
}

// stepsAfter returns the steps of a schedule that are in force after so many generations,
// or come later, counted from there.
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
