package recipe

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"tiro/models"
	"tiro/models/card"
	"tiro/rundir"
)

// ErrChanged is wrapped by errors about generations that the current settings of a run
// cannot reproduce.
var ErrChanged = errors.New("other settings, so repeating them would give a different run")

// Settings returns a digest of the settings that affect the games and the network of a
// generation, at the end of which the run has taken the given number of steps. It excludes
// later steps of schedules, cool-downs of other generations, retention, duels, and the
// division of work.
func (c Config) Settings(generation, steps int) string {
	c = c.at(generation)
	l := &c.Learner
	l.LearningRateDrops = slices.DeleteFunc(slices.Clone(l.LearningRateDrops), func(d Drop) bool { return d.Step >= steps })
	l.Cooldown.Share = 0
	if generation <= l.Cooldown.After || generation > l.Cooldown.Last() {
		l.Cooldown = Cooldown{}
	}
	return digest(c)
}

// Play returns a digest of the settings that affect the games of a generation.
func (c Config) Play(generation int) string {
	c = c.at(generation)
	return digest(struct{ Game, Selfplay any }{c.Game, c.Selfplay})
}

// at returns the settings of a generation, with the schedules' values inserted and settings
// without effect cleared.
func (c Config) at(generation int) Config {
	c.SetGeneration(generation)
	if !c.GivenGames.In(generation) {
		c.GivenGames = GivenGames{}
	}
	c.CPUHours, c.Disk, c.Checkpoints, c.Duels = 0, 0, rundir.Retention{}, Duels{}
	p := &c.Selfplay
	for _, step := range p.GameSchedule { // at most one
		c.Game += "|" + step.Options
	}
	p.GameSchedule = nil
	p.ConcurrentGames, p.CachePositions = 0, 0
	return c
}

func digest(v any) string {
	text, err := yaml.Marshal(v)
	if err != nil {
		panic(err) // our own types can be marshaled
	}
	return rundir.Checksum(text)
}

// Changed returns the generations after a checkpoint of a run that c would not reproduce:
// generations recorded in metrics.jsonl with other settings, and generations that a fork
// inherited from its parent without a record.
func Changed(f rundir.Folder, c *Config, checkpoint int) (generations []int, err error) {
	first, err := begins(f)
	if err != nil {
		return nil, err
	}
	lines, _ := f.MetricsLines() // the readable ones
	known := map[int]bool{}
	for _, line := range lines {
		if g := line.Generation; line.Err == nil && g > checkpoint {
			known[g] = true
			if line.Settings != c.Settings(g, line.TotalSteps) {
				generations = append(generations, g)
			}
		}
	}
	for g := checkpoint + 1; g <= first; g++ {
		if !known[g] {
			generations = append(generations, g)
		}
	}
	slices.Sort(generations)
	return generations, nil
}

// begins returns the generation from which a fork continues, or 0 for other runs.
func begins(f rundir.Folder) (int, error) {
	origins, err := Origins(f)
	return card.ForkedAt(origins), err
}

// CheckNew returns an error if a run without checkpoints must not begin with random weights
// because it continues from another run.
func CheckNew(f rundir.Folder) error {
	origins, err := Origins(f)
	if err == nil && len(origins) > 0 {
		err = fmt.Errorf("%s shows that the run continues from another, but there is no checkpoint; restore %s, or repeat the fork in a new folder",
			f.Path(rundir.OriginFile), f.Path(rundir.CheckpointsDir))
	}
	return err
}

// Instead returns a suggestion for a run that cannot resume from its newest intact
// checkpoint.
func Instead(f rundir.Folder, checkpoint int) string {
	if first, err := begins(f); err == nil && checkpoint < first {
		return fmt.Sprintf("restore a copy of checkpoint %d or a later one, or repeat the fork from its parent in a new folder", first)
	}
	from := f.Path(rundir.CheckpointsDir, models.FormatGeneration(checkpoint))
	return "restore a copy of a newer checkpoint, or continue from this one in a new run: " +
		HereLine("tiro", "fork", from, "--run", "NEW")
}
