package fsck

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"tiro/env"
	"tiro/models"
	"tiro/rundir"
)

// checkpoint is what a checker remembers of a checkpoint.
type checkpoint struct {
	ok      bool
	metrics rundir.Metrics // zero for generation 0
	line    []byte         // the metrics as a line of metrics.jsonl
	backend string         // that computed it
	player  string         // fingerprint of the weights
}

// checkCheckpoint checks a checkpoint, and reports files in its folder that are
// not part of it.
func (c *checker) checkCheckpoint(e entry) []Part {
	content, info, err := models.Read(c.Disk, c.path(e.name), c.find)
	var found checkpoint
	if err == nil {
		if err = c.config.CheckOptimizer(content.Weights, content.Optimizer); err != nil {
			err = fmt.Errorf("%s, with %s: %w", models.OptimizerFile, rundir.ConfigFile, err)
		}
		err = errors.Join(err, found.read(content))
	}
	found.ok = err == nil
	if known := c.checkpoints[e.generation]; known != nil {
		*known = found
	}
	parts := []Part{c.result(e.name, fmt.Sprintf("generation %d, %d parameters", info.Generation, info.Parameters), err)}
	entries, _ := c.Disk.ReadDir(c.path(e.name))
	for _, f := range entries {
		if !slices.Contains(models.Files[:], f.Name()) {
			parts = append(parts, stray(path.Join(e.name, f.Name())))
		}
	}
	return parts
}

// find returns the game of a file, which must be the run's.
func (c *checker) find(name string) (env.Game, error) {
	if c.game == nil {
		return c.Find(name)
	}
	if own := c.game.Spec().Name; name != own {
		return nil, fmt.Errorf("it is of %s; the run is of %s", name, own)
	}
	return c.game, nil
}

// variants looks up the game of an episode file: the run's, or a variant of it.
func (c *checker) variants() env.Lookup {
	if c.game == nil {
		return c.Find
	}
	return env.Variants(c.game, c.Find)
}

// read reads the content of a checkpoint, whose metrics and state must agree.
func (f *checkpoint) read(content models.Checkpoint) (err error) {
	if f.player, err = rundir.Fingerprint(content.Weights); err != nil {
		return err
	}
	if f.metrics, f.line, err = rundir.ReadCheckpointMetrics(content); err != nil {
		return err
	}
	s, err := rundir.ReadState(content)
	m := &f.metrics
	if evicted := m.TotalSamples - m.Window; err == nil && (s.Samples != m.TotalSamples || s.EvictedSamples != evicted || s.Steps != m.TotalSteps) {
		err = fmt.Errorf("%d samples, %d of them evicted, and %d steps; by the metrics in %s they are %d, %d and %d",
			s.Samples, s.EvictedSamples, s.Steps, models.InfoFile, m.TotalSamples, evicted, m.TotalSteps)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", models.StateFile, err)
	}
	f.backend = s.Backend
	return nil
}
