package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"tiro/disk"
	"tiro/rundir"
)

// ErrNoneIntact is wrapped by Repair when no checkpoint is intact, so that it moves
// nothing.
var ErrNoneIntact = errors.New("no checkpoint is intact, so that nothing was moved")

// Repair verifies a run folder in which no process trains, and moves what is damaged to
// the folder damaged in the run folder, under its name, with a number behind if that is
// taken. A damaged metrics.jsonl is copied there, and written again with the lines that
// are intact. Nothing is removed or overwritten. If a part is
// unchecked, Repair moves nothing, because what the run can do without is unknown.
func Repair(ctx context.Context, o Options) (Report, error) {
	c := newChecker(o)
	if err := c.repair(ctx); err != nil {
		return c.report, fmt.Errorf("repair %s: %w", o.Path, err)
	}
	return c.report, nil
}

func (c *checker) repair(ctx context.Context) (err error) {
	if _, err := c.Disk.Stat(c.path("")); err != nil {
		return err
	}
	if c.lock, err = c.folder.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.lock.Close()) }()
	if err := c.verify(ctx); err != nil {
		return err
	}
	switch r := &c.report; {
	case !r.Checked():
		return nil
	case r.Training:
		return errors.New("the folder has changed meanwhile, so that nothing was moved; run the command again")
	case r.Newest >= 0 && r.Checkpoint < 0:
		return fmt.Errorf("%w; bring a copy of one back, or use another run folder", ErrNoneIntact)
	}
	for i := range c.report.Parts {
		p := &c.report.Parts[i]
		if err := c.lock.Check(); err != nil {
			return err
		}
		switch metrics := p.Path == rundir.MetricsFile; {
		case p.Bad() && metrics:
			p.MovedTo, err = c.rewriteMetrics()
		case p.Status == Damaged:
			p.MovedTo, err = c.moveAside(p.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewriteMetrics writes metrics.jsonl with the lines that are intact, after it has kept
// a copy of the file. The copy, which is empty if the file is missing, marks lines that
// are missing from then on as lost.
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
	var all []byte
	for _, g := range slices.Sorted(maps.Keys(c.lines)) {
		all = append(all, c.lines[g].Text...)
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
			return free, c.makeAside(path.Dir(free))
		} else if err != nil {
			return "", err
		}
		free = fmt.Sprintf("%s~%d", moved, n)
	}
}

// makeAside makes the folder damaged, or one in it. It is not to be a link.
func (c *checker) makeAside(name string) error {
	at := c.path("")
	for part := range strings.SplitSeq(name, "/") {
		var err error
		if at, err = disk.Subfolder(c.Disk, at, part); err != nil {
			return err
		}
	}
	return disk.RemoveUnfinished(c.Disk, at, func(string) bool { return true })
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
