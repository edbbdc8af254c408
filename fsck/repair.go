package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"tiro/disk"
	"tiro/rundir"
)

// ErrNoneIntact is wrapped by Repair when all checkpoints would have to go.
var ErrNoneIntact = errors.New("no checkpoint is intact, so that nothing was moved")

// Repair is Verify for a run folder in which nobody trains, and moves what is
// damaged to the folder damaged in the run folder, under the name that it had,
// with a number behind if that is taken. A damaged metrics.jsonl is copied there,
// and written anew with the lines that are intact or that a checkpoint holds.
// Nothing is removed or overwritten. Files of another version of tiro stay where
// they are. If a part is unreadable, Repair moves nothing at all, because what the
// run can do without is unknown.
func Repair(ctx context.Context, o Options) (Report, error) {
	c := newChecker(o)
	if err := c.repair(ctx); err != nil {
		return c.report, fmt.Errorf("repair %s: %w", o.Path, err)
	}
	return c.report, nil
}

func (c *checker) repair(ctx context.Context) (err error) {
	place, err := rundir.Resolve(c.Disk, c.Path)
	if err == nil && place.Kind != rundir.PlaceRun {
		err = errors.New("want a run folder; anything else can only be replaced by a copy")
	}
	if err != nil {
		return err
	}
	if c.lock, err = c.folder.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.lock.Close()) }()
	if err := c.verify(ctx); err != nil {
		return err
	}
	switch plan := c.report.Plan; {
	case !c.report.Readable():
		return nil
	case plan == nil:
		return errors.New("somebody changed the folder meanwhile, so that nothing was moved; run the command again")
	case plan.Newest >= 0 && plan.Checkpoint < 0:
		return fmt.Errorf("%w; bring a copy of one back, or use another run folder", ErrNoneIntact)
	}
	for i := range c.report.Parts {
		p := &c.report.Parts[i]
		metrics := p.Path == rundir.MetricsFile
		if p.Status != Damaged && !(p.Status == Missing && metrics) {
			continue
		}
		if err := c.lock.Check(); err != nil {
			return err
		}
		if metrics {
			p.MovedTo, err = c.rewriteMetrics()
		} else {
			p.MovedTo, err = c.moveAside(p.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewriteMetrics writes metrics.jsonl with the lines that are intact and, where
// there is none, those that checkpoints hold. First it keeps the file as it was:
// what is lost with it counts as given up. Of a missing file it keeps an empty one.
func (c *checker) rewriteMetrics() (moved string, err error) {
	data, err := disk.ReadFile(c.Disk, c.path(rundir.MetricsFile), rundir.MaxMetrics)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		moved, err = c.moveAside(rundir.MetricsFile)
	} else if moved, err = c.freeName(rundir.MetricsFile); err == nil {
		err = c.lock.WriteBytes(c.path(moved), data)
	}
	if err != nil {
		return "", err
	}
	if missing {
		moved = ""
	}
	lines := map[int][]byte{}
	for g, found := range c.checkpoints {
		if found.ok && found.line != nil {
			lines[g] = found.line
		}
	}
	for g, line := range c.metrics.lines {
		lines[g] = line.Text
	}
	var all []byte
	for _, g := range slices.Sorted(maps.Keys(lines)) {
		all = append(all, lines[g]...)
	}
	return moved, c.lock.WriteBytes(c.path(rundir.MetricsFile), all)
}

// freeName returns a free name for a part in the folder damaged, and makes the
// folder that it is to be in.
func (c *checker) freeName(name string) (string, error) {
	moved := path.Join(rundir.DamagedDir, name)
	free := moved
	for n := 2; ; n++ {
		if _, err := c.Disk.Stat(c.path(free)); errors.Is(err, fs.ErrNotExist) {
			return free, disk.MkdirAll(c.Disk, c.path(path.Dir(free)))
		} else if err != nil {
			return "", err
		}
		free = fmt.Sprintf("%s~%d", moved, n)
	}
}

// moveAside moves a part to the folder damaged.
func (c *checker) moveAside(name string) (moved string, err error) {
	if moved, err = c.freeName(name); err == nil {
		err = disk.Move(c.Disk, c.path(name), c.path(moved))
	}
	if err != nil {
		return "", err
	}
	return moved, errors.Join(c.Disk.SyncDir(c.path(path.Dir(moved))), c.Disk.SyncDir(c.path(path.Dir(name))))
}
