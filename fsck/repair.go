package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"tiro/disk"
	"tiro/rundir"
)

// ErrNoneIntact is wrapped by the error of Repair if no checkpoint is intact. Nothing is moved
// then.
var ErrNoneIntact = errors.New("no checkpoint is intact: nothing was moved")

// Repair verifies a run folder and moves damaged parts to the folder "damaged" in it. They keep
// their names, with a number appended if a name is taken. The intact lines of a damaged
// metrics.jsonl stay. Nothing is removed or overwritten. If a part is unchecked, Repair moves
// nothing, because it may be needed.
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
	lock, err := c.folder.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := c.verify(ctx); err != nil {
		return err
	}
	if !c.report.Checked() {
		return nil
	}
	if c.report.Newest >= 0 && c.report.Checkpoint < 0 {
		return fmt.Errorf("%w; restore a copy of a checkpoint or use another run folder", ErrNoneIntact)
	}
	for i := range c.report.Parts {
		p := &c.report.Parts[i]
		if err := lock.Check(); err != nil {
			return err
		}
		if p.Status == Damaged {
			p.MovedTo, err = c.moveAside(lock, p.Path)
		}
		if err == nil && p.Status != OK && p.Path == rundir.MetricsFile {
			_, _, err = lock.RecoverMetrics(c.checkpoints[c.intact].metrics)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moveAside moves a part to the folder "damaged", or copies it there if some of it stays.
func (c *checker) moveAside(lock *rundir.Locked, name string) (moved string, err error) {
	if moved, err = c.freeName(name); err != nil {
		return "", err
	}
	if name == rundir.MetricsFile && len(c.lines) > 0 {
		data, err := disk.ReadFile(c.Disk, c.path(name), rundir.MaxMetrics)
		if err == nil {
			err = lock.WriteBytes(c.path(moved), data)
		}
		return moved, err
	}
	if err := disk.Move(c.Disk, c.path(name), c.path(moved)); err != nil {
		return "", err
	}
	return moved, errors.Join(c.Disk.SyncDir(c.path(path.Dir(moved))), c.Disk.SyncDir(c.path(path.Dir(name))))
}

// freeName returns a free name for a part in the folder "damaged", and makes the folder that
// contains it.
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

// makeAside makes the folder "damaged", or a folder in it. It refuses links.
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
