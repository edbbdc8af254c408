package fsck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"tiro/env"
	"tiro/rundir"
)

// entry is a file or folder in a run folder.
type entry struct {
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
	c.add(c.checkConfig())
	c.metrics = c.readMetrics()
	entries, err := c.list()
	if err != nil {
		return err
	}
	of := func(kinds ...rundir.Kind) (found []entry) {
		for _, e := range entries {
			if slices.Contains(kinds, e.kind) {
				found = append(found, e)
			}
		}
		return found
	}
	for _, e := range of(rundir.Checkpoint, rundir.Episodes, rundir.PartialEpisodes) {
		c.total += e.bytes
	}
	checkpoints, episodes := of(rundir.Checkpoint), of(rundir.Episodes, rundir.PartialEpisodes)
	for _, e := range checkpoints {
		c.checkpoints[e.generation] = &checkpoint{}
	}
	for _, e := range of(rundir.Episodes) {
		c.games[e.generation] = &games{}
	}
	err = c.each(ctx, checkpoints, func(e entry) (parts []Part) {
		*c.checkpoints[e.generation], parts = c.checkCheckpoint(e)
		return parts
	})
	if err != nil {
		return err
	}
	c.checkMetrics()
	if err := c.each(ctx, episodes, func(e entry) []Part { return []Part{c.checkEpisodes(ctx, e)} }); err != nil {
		return err
	}
	if c.exists(rundir.LockFile) && !c.isFile(rundir.LockFile) {
		c.add(Part{Path: rundir.LockFile, Status: Damaged, Detail: "want a file"})
	}
	for _, e := range of(rundir.Temporary, rundir.Unknown) {
		c.add(stray(e.name))
	}
	c.makePlan()
	c.allowForTraining(checkpoints)
	return nil
}

// training reports whether a process trains in the folder. To find out, it takes
// the lock for an instant, if there is one.
func (c *checker) training() bool {
	if c.lock != nil || !c.isFile(rundir.LockFile) {
		return false
	}
	lock, err := c.folder.Lock()
	if err == nil {
		_ = lock.Close()
	}
	return errors.Is(err, rundir.ErrInUse)
}

func (c *checker) checkConfig() Part {
	config, err := c.folder.Config()
	if err == nil {
		err = config.Validate()
	}
	if err == nil {
		c.game, err = c.Find(config.Game)
	}
	if err == nil {
		c.config = &config
	}
	return c.result(rundir.ConfigFile, fmt.Sprintf("%s, seed %d", config.Game, config.Seed), err)
}

// list returns what is in the run folder, by generation, and reports folders that
// cannot be read.
func (c *checker) list() ([]entry, error) {
	var all []entry
	for _, dir := range []string{"", rundir.CheckpointsDir, rundir.EpisodesDir} {
		entries, err := c.Disk.ReadDir(c.path(dir))
		switch {
		case err != nil && dir == "":
			return nil, err
		case err != nil && c.exists(dir):
			p := c.fault(dir, fmt.Errorf("%w; want a folder", err))
			p.unreadable = c.isDir(dir)
			c.add(p)
		}
		for _, found := range entries {
			e := entry{name: path.Join(dir, found.Name())}
			e.kind, e.generation = rundir.Identify(e.name)
			if dir != "" {
				e.bytes = c.size(e.name)
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.generation, b.generation), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// stray returns what to say of a file that is not part of a run.
func stray(name string) Part {
	if kind, _ := rundir.Identify(name); kind == rundir.Temporary {
		return Part{Path: name, Status: Incomplete, Detail: "a stop has left it behind; the run removes it"}
	}
	return Part{Path: name, Status: Unknown, Detail: "not part of a run; left alone"}
}

// missing reports a part that should be there.
func (c *checker) missing(name, detail string) {
	p := Part{Path: name, Status: Missing, Detail: detail}
	if moved := path.Join(rundir.DamagedDir, name); c.exists(moved) {
		p.MovedTo = moved
	}
	c.add(p)
}

// allowForTraining removes from the report of a run under way the faults of parts
// that came and went, and the plan if the run has gone on since its checkpoints
// were listed.
func (c *checker) allowForTraining(listed []entry) {
	newest := -1
	if len(listed) > 0 {
		newest = listed[len(listed)-1].generation
	}
	now, _ := c.folder.Store(env.Spec{}).List()
	wentOn := len(now) > 0 && now[len(now)-1] > newest
	c.report.Training = c.report.Training || wentOn || c.training()
	if !c.report.Training {
		return
	}
	if wentOn {
		c.report.Plan = nil
	}
	c.report.Parts = slices.DeleteFunc(c.report.Parts, func(p Part) bool {
		_, err := c.Disk.Stat(c.path(p.Path))
		return p.Status != Unsupported && errors.Is(err, fs.ErrNotExist)
	})
}
