package fsck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/recipe"
	"tiro/rundir"
)

// verifyRun checks a run folder. Metrics are read before the folder is listed,
// since a run that is under way writes games, checkpoint and metrics of a
// generation in this order.
func (c *checker) verifyRun(ctx context.Context) error {
	c.report.Training = c.training()
	c.add(c.checkConfig())
	if c.exists(rundir.OriginFile) {
		c.add(c.checkOrigins())
	}
	c.readMetrics()
	entries, err := c.list()
	if err != nil {
		return err
	}
	c.total = len(entries)
	n := len(c.checkpoints) // which come first
	if err := c.each(ctx, entries[:n]); err != nil {
		return err
	}
	c.checkMetrics()
	if err := c.each(ctx, entries[n:]); err != nil {
		return err
	}
	if c.report.Readable() { // else what is to be replayed or lost is unknown
		c.makePlan()
	}
	c.allowForTraining()
	return nil
}

// training reports whether a process trains in the folder. To find out, it takes
// the lock for an instant, if there is one.
func (c *checker) training() bool {
	info, err := c.Disk.Stat(c.path(rundir.LockFile))
	if c.lock != nil || err != nil || !info.Mode().IsRegular() {
		return false
	}
	lock, err := c.folder.Lock()
	if err == nil {
		_ = lock.Close()
	}
	return errors.Is(err, rundir.ErrInUse)
}

func (c *checker) checkConfig() Part {
	config, err := recipe.Read(c.folder)
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

func (c *checker) checkOrigins() Part {
	origins, err := recipe.Origins(c.folder)
	detail := ""
	if len(origins) > 0 {
		detail = fmt.Sprintf("goes on from generation %d of another run", origins[len(origins)-1].Generation)
	}
	return c.result(rundir.OriginFile, detail, err)
}

// list returns what is in the run folder, by kind and generation, and reports
// folders that cannot be read.
func (c *checker) list() ([]entry, error) {
	var all []entry
	there := map[string]bool{} // the names in the run folder, links to nowhere too
	for _, dir := range []string{"", rundir.CheckpointsDir, rundir.EpisodesDir} {
		found, err := c.Disk.ReadDir(c.path(dir))
		switch {
		case err != nil && dir == "":
			return nil, err
		case err != nil && there[dir]:
			p := c.result(dir, "", fmt.Errorf("%w; want a folder", err))
			if info, err := c.Disk.Stat(c.path(dir)); err != nil && !rundir.Unreadable(err) || err == nil && !info.IsDir() {
				p.Status = Damaged // a link to nothing is no missing folder: none can be made in its place
			}
			c.add(p)
		}
		for _, f := range found {
			there[path.Join(dir, f.Name())] = true
		}
		for _, f := range found {
			e := entry{name: path.Join(dir, f.Name()), mode: f.Type()}
			if info, err := c.Disk.Stat(c.path(e.name)); err == nil {
				e.mode = info.Mode()
			}
			switch e.kind, e.generation = rundir.Identify(e.name); {
			case e.kind == rundir.Checkpoint && there[e.name+disk.Unfinished]:
				e.kind = rundir.Temporary // see models.Store.Remove
			case e.kind == rundir.Checkpoint:
				c.checkpoints[e.generation] = &checkpoint{}
			case e.kind == rundir.Episodes:
				c.games[e.generation] = &games{}
			case e.name == rundir.LockFile, e.name == rundir.LogFile, e.name == rundir.OldLogFile:
				e.mode = f.Type() // no process writes there through a link
			case e.kind == rundir.Top:
				continue // checked by itself
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.generation, b.generation), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// missing reports a part that should be there.
func (c *checker) missing(name, detail string) {
	p := Part{Path: name, Status: Missing, Detail: detail}
	if moved := path.Join(rundir.DamagedDir, name); c.exists(moved) {
		p.MovedTo = moved
	}
	c.add(p)
}

// newest returns the newest checkpoint that is there, or that is intact; -1 if
// there is none.
func (c *checker) newest(intact bool) int {
	newest := -1
	for g, found := range c.checkpoints {
		if found.ok || !intact {
			newest = max(newest, g)
		}
	}
	return newest
}

// allowForTraining removes from the report of a run under way the faults of parts
// that came and went, and the plan if the run has gone on since its checkpoints
// were listed.
func (c *checker) allowForTraining() {
	now, _ := c.folder.Store(env.Spec{}).List()
	wentOn := len(now) > 0 && now[len(now)-1] > c.newest(false)
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
