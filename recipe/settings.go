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

// ErrChanged is wrapped by errors about generations that the settings of a run cannot repeat.
var ErrChanged = errors.New("other settings, so that repeating them would make another run")

// Settings returns a digest of the settings that decide the games and the network of a
// generation at whose end the run had taken a number of steps. Two generations have the same
// digest if only settings differ that do not count there: steps of schedules that come later,
// a cool-down of other generations, what is kept on disk, duels, and how work is divided.
func (c Config) Settings(generation, steps int) string {
	c = c.at(generation)
	l := &c.Learner
	l.LearningRateDrops = slices.DeleteFunc(slices.Clone(l.LearningRateDrops), func(d Drop) bool { return d.Step >= steps })
	if generation <= l.Cooldown.After || generation > l.Cooldown.Last() {
		l.Cooldown = Cooldown{}
	}
	return digest(c)
}

// Play returns a digest of the settings that decide the games of a generation.
func (c Config) Play(generation int) string {
	c = c.at(generation)
	return digest(struct{ Game, Selfplay any }{c.Game, c.Selfplay})
}

// at returns the settings of a generation: schedules are what they say there, and what
// makes no difference is left out.
func (c Config) at(generation int) Config {
	c.GamesPerGeneration, c.GenerationSchedule = c.Games(generation), nil
	c.Disk, c.Checkpoints, c.Duels = 0, rundir.Retention{}, Duels{}
	p := &c.Selfplay
	p.Search.Simulations, p.SimulationSchedule = p.Simulations(generation), nil
	options := p.GameOptions(generation)
	p.GameSchedule = nil
	if options != "" {
		c.Game += "|" + options
	}
	p.ConcurrentGames, p.CachePositions = 0, 0
	return c
}

func digest(v any) string {
	text, err := yaml.Marshal(v)
	if err != nil {
		panic(err) // of values of our own
	}
	return rundir.Checksum(text)
}

// Changed returns the generations after a checkpoint of a run that c would not repeat: those
// with lines in metrics.jsonl that were made with other settings, and those of which a fork has
// no line any more, since its parent made them.
func Changed(f rundir.Folder, c *Config, checkpoint int) (generations []int, err error) {
	first, err := begins(f)
	if err != nil {
		return nil, err
	}
	lines, _ := f.MetricsLines() // those that can be read
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

// begins returns the generation that a run went on from, 0 unless it is a fork.
func begins(f rundir.Folder) (int, error) {
	origins, err := Origins(f)
	if err != nil || len(origins) == 0 {
		return 0, err
	}
	return ForkedAt(origins), nil
}

// ForkedAt returns the generation of the last origin that a run goes on from, 0 if that is
// the network only.
func ForkedAt(origins []card.Origin) int {
	if n := len(origins); n > 0 && origins[n-1].Network == nil {
		return origins[n-1].Generation
	}
	return 0
}

// CheckNew returns an error if a run without checkpoints is not to begin with random
// weights, because it went on from another run.
func CheckNew(f rundir.Folder) error {
	origins, err := Origins(f)
	if err == nil && len(origins) > 0 {
		err = fmt.Errorf("%s says that it goes on from another run, but there is no checkpoint; bring %s back, or make the fork again in a new folder",
			f.Path(rundir.OriginFile), f.Path(rundir.CheckpointsDir))
	}
	return err
}

// Instead returns what a person can do about a run that cannot go on from its newest intact
// checkpoint.
func Instead(f rundir.Folder, checkpoint int) string {
	if first, err := begins(f); err == nil && checkpoint < first {
		return fmt.Sprintf("bring a copy of a checkpoint from %d on back, or make the fork again from its parent, in a new folder", first)
	}
	from := f.Path(rundir.CheckpointsDir, models.FormatGeneration(checkpoint))
	return "bring a copy of a newer checkpoint back, or continue from this one in a new run: " +
		HereLine("tiro", "fork", from, "--run", "NEW")
}
