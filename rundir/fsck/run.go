package fsck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"tiro/env"
	"tiro/rundir"
)

// part is a file or folder of a run.
type part struct {
	name       string // from the run folder, with slashes
	kind       rundir.Kind
	generation int
	bytes      int64
}

// verifyRun checks a run folder. Metrics are read before the folder is listed,
// since a run that is under way writes games, checkpoint and metrics of a
// generation in this order.
func (c *checker) verifyRun(ctx context.Context) error {
	c.report.Training = c.training()
	c.report.Files = []File{c.checkConfig()}
	c.metrics = c.readMetrics()
	parts, err := c.list()
	if err != nil {
		return err
	}
	of := func(kinds ...rundir.Kind) []part {
		return slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !slices.Contains(kinds, p.kind) })
	}
	checkpoints, episodes := of(rundir.Checkpoint), of(rundir.Episodes, rundir.PartialEpisodes)
	c.checkpoints, c.games = map[int]*checkpoint{}, map[int]*games{}
	for _, p := range slices.Concat(checkpoints, episodes) {
		c.total += p.bytes
	}
	for _, p := range checkpoints {
		c.checkpoints[p.generation] = &checkpoint{}
	}
	if err := c.each(ctx, checkpoints, func(p part) (files []File) {
		*c.checkpoints[p.generation], files = c.checkCheckpoint(p.name, p.generation)
		return files
	}); err != nil {
		return err
	}
	c.checkMetrics()
	for _, p := range of(rundir.Episodes) {
		c.games[p.generation] = &games{}
	}
	if err := c.each(ctx, episodes, func(p part) []File { return []File{c.checkEpisodes(ctx, p)} }); err != nil {
		return err
	}
	for _, p := range of(rundir.Top, rundir.Temporary, rundir.Unknown) {
		c.checkOther(p.name)
	}
	c.makePlan()
	c.allowForTraining(checkpoints)
	return nil
}

// training reports whether a process trains in the folder. To find out, it takes
// the lock for an instant, if there is one.
func (c *checker) training() bool {
	if c.locked || !c.isFile(rundir.LockFile) {
		return false
	}
	lock, err := c.folder.Lock()
	if err == nil {
		_ = lock.Close()
	}
	return errors.Is(err, rundir.ErrInUse)
}

func (c *checker) checkConfig() File {
	config, err := c.folder.Config()
	if err == nil {
		err = config.Validate()
	}
	if err == nil {
		c.game, err = c.Find(config.Game)
	}
	if err != nil {
		return c.fault(rundir.ConfigFile, err)
	}
	c.config = &config
	return File{Path: rundir.ConfigFile, Status: OK, Detail: fmt.Sprintf("%s, seed %d", config.Game, config.Seed)}
}

// list returns what is in the run folder, by generation, and reports folders
// that cannot be read.
func (c *checker) list() ([]part, error) {
	var parts []part
	for _, dir := range []string{"", rundir.CheckpointsDir, rundir.EpisodesDir} {
		entries, err := c.Disk.ReadDir(c.path(dir))
		switch {
		case err != nil && dir == "":
			return nil, err
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			f := c.fault(dir, fmt.Errorf("%w; want a folder", err))
			f.unreadable = c.isDir(dir)
			c.report.Files = append(c.report.Files, f)
		}
		for _, e := range entries {
			p := part{name: path.Join(dir, e.Name())}
			p.kind, p.generation = rundir.Identify(p.name)
			if dir != "" {
				p.bytes = c.size(p.name)
			}
			parts = append(parts, p)
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.generation, b.generation), cmp.Compare(a.name, b.name))
	})
	return parts, nil
}

// checkOther reports a file whose content does not matter.
func (c *checker) checkOther(name string) {
	switch name {
	case rundir.ConfigFile, rundir.MetricsFile, rundir.CheckpointsDir, rundir.EpisodesDir, rundir.DamagedDir:
	case rundir.LockFile, rundir.LogFile, rundir.OldLogFile:
		if !c.isFile(name) {
			c.report.Files = append(c.report.Files, File{Path: name, Status: Damaged, Detail: "want a file"})
		}
	default:
		c.report.Files = append(c.report.Files, stray(name))
	}
}

// stray returns what to say of a file that is not part of a run.
func stray(name string) File {
	if kind, _ := rundir.Identify(name); kind == rundir.Temporary {
		return File{Path: name, Status: Incomplete, Detail: "a stop has left it behind; the run removes it"}
	}
	return File{Path: name, Status: Unknown, Detail: "not part of a run; left alone"}
}

// missing reports a file that should be there.
func (c *checker) missing(name, detail string) {
	f := File{Path: name, Status: Missing, Detail: detail}
	if aside := damagedPath(name); c.exists(aside) {
		f.MovedTo, f.given = aside, true
	}
	c.report.Files = append(c.report.Files, f)
}

func (c *checker) exists(name string) bool {
	_, err := c.Disk.Stat(c.path(name))
	return err == nil
}

// unitOf returns what is moved on account of a file: a checkpoint is moved as a
// whole.
func unitOf(name string) string {
	if parts := strings.Split(name, "/"); parts[0] == rundir.CheckpointsDir && len(parts) > 2 {
		return path.Join(parts[:2]...)
	}
	return name
}

// allowForTraining removes from the report of a run under way the faults of files
// that came and went, and the plan if the run has gone on since.
func (c *checker) allowForTraining(before []part) {
	newest := func(generations []int) int { return slices.Max(append(generations, -1)) }
	var listed []int
	for _, p := range before {
		listed = append(listed, p.generation)
	}
	now, _ := c.folder.Store(env.Spec{}).List()
	wentOn := newest(now) > newest(listed)
	c.report.Training = c.report.Training || wentOn || c.training()
	if !c.report.Training {
		return
	}
	if wentOn {
		c.report.Plan = nil
	}
	c.report.Files = slices.DeleteFunc(c.report.Files, func(f File) bool {
		return slices.Contains([]Status{Missing, Damaged, Incomplete}, f.Status) && !c.exists(unitOf(f.Path))
	})
}
