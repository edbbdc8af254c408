package fsck

import (
	"context"
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

// checkCheckpoint checks the checkpoint in the folder name, which should be of a
// generation, -1 for any. It reports one line if the checkpoint is intact, else
// one for each file.
func (c *checker) checkCheckpoint(name string, generation int) (found checkpoint, report []File) {
	if !c.isDir(name) {
		return found, []File{{Path: name, Status: Damaged, Detail: "want a folder"}}
	}
	checked := models.Check(c.Disk, c.path(name), c.find)
	if len(checked.Files) == len(models.Files) {
		c.checkContents(&found, &checked, generation)
	}
	found.ok = !slices.ContainsFunc(checked.Files, func(f models.CheckedFile) bool { return f.Err != nil })
	if found.ok {
		report = []File{{Path: name, Status: OK, Detail: fmt.Sprintf("generation %d, %d parameters", checked.Info.Generation, checked.Info.Parameters)}}
	} else {
		for _, f := range checked.Files {
			report = append(report, c.result(path.Join(name, f.Name), fmt.Sprintf("%d bytes", f.Bytes), f.Err))
		}
	}
	entries, _ := c.Disk.ReadDir(c.path(name))
	for _, e := range entries {
		if !slices.Contains(models.Files[:], e.Name()) {
			report = append(report, stray(path.Join(name, e.Name())))
		}
	}
	return found, report
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

// checkContents checks what package models cannot know: whether the files of a
// checkpoint fit together and to the run. It adds what it finds to the files that
// are intact otherwise, in the order of models.Files.
func (c *checker) checkContents(found *checkpoint, checked *models.Checked, generation int) {
	check := func(i int, check func() error) {
		if f := &checked.Files[i]; f.Err == nil {
			f.Err = check()
		}
	}
	weights := checked.Checkpoint.Weights
	check(0, func() error { return found.readMetrics(checked.Info, generation) })
	check(1, func() (err error) {
		if c.config != nil && weights.Config != c.config.Net.Inference() {
			return fmt.Errorf("the network is %+v; %s has %+v", weights.Config, rundir.ConfigFile, c.config.Net.Inference())
		}
		found.player, err = rundir.Fingerprint(weights)
		return err
	})
	check(2, func() error {
		if weights == nil {
			return nil // nothing to compare it with
		}
		return c.config.CheckOptimizer(weights, checked.Checkpoint.Optimizer)
	})
	check(3, func() error {
		s, err := rundir.ReadState(checked.Checkpoint)
		if err == nil && checked.Files[0].Err == nil {
			err = found.compare(s)
		}
		found.backend = s.Backend
		return err
	})
}

// readMetrics checks the generation and the metrics in info.json.
func (f *checkpoint) readMetrics(info models.Info, generation int) error {
	if generation >= 0 && info.Generation != generation {
		return fmt.Errorf("it is of checkpoint %d: the folder was renamed; want %s", info.Generation, models.FormatGeneration(info.Generation))
	}
	if info.Generation == 0 && info.Metrics == nil {
		return nil
	}
	m, line, err := rundir.ParseCheckpointMetrics(info.Metrics)
	if err == nil && m.Generation != info.Generation {
		err = fmt.Errorf("they are of generation %d", m.Generation)
	}
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	f.metrics, f.line = m, line
	return nil
}

// compare returns an error unless state and metrics agree.
func (f *checkpoint) compare(s rundir.State) error {
	m := &f.metrics
	if evicted := m.TotalSamples - m.Window; s.Samples != m.TotalSamples || s.EvictedSamples != evicted || s.Steps != m.TotalSteps {
		return fmt.Errorf("%d samples, %d of them evicted, and %d steps; by the metrics in %s they are %d, %d and %d",
			s.Samples, s.EvictedSamples, s.Steps, models.InfoFile, m.TotalSamples, evicted, m.TotalSteps)
	}
	return nil
}

// checkWeights checks a weights file that no checkpoint has a checksum of.
func (c *checker) checkWeights(_ context.Context, name string) File {
	w, info, err := models.Open(c.Disk, c.path(name), c.Find)
	if err != nil {
		return c.fault(name, err)
	}
	return File{Path: name, Status: OK, Detail: fmt.Sprintf("a network for %s, %d parameters; no checksum covers them", info.Game, w.Parameters())}
}
