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
// metrics.jsonl stay, up to the newest intact checkpoint. Nothing else is removed or overwritten. If
// a part is unchecked, Repair moves nothing, because it may be needed.
func Repair(ctx context.Context, o Options) (Report, error) {
	c := newChecker(o)
	if err := c.repair(ctx); err != nil {
		return c.report, fmt.Errorf("repair %s: %w", o.Path, err)
	}
	return c.report, nil
}

func (c *checker) repair(ctx context.Context) (err error) {
	if err := c.isRun(); err != nil { // Lock would leave a file behind
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
			_, _, err = lock.RecoverMetrics(c.checkpoints[c.report.Checkpoint].metrics)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moveAside moves a part to the folder "damaged", or copies it there if some of it stays.
func (c *checker) moveAside(lock *rundir.Locked, name string) (moved string, err error) {
	moved = path.Join(rundir.DamagedDir, name)
	for n := 2; ; n++ { // looks for a free name
		if _, err = c.Disk.Stat(c.path(moved)); err != nil {
			break
		}
		moved = fmt.Sprintf("%s/%s~%d", rundir.DamagedDir, name, n)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	folder := c.path("")
	for part := range strings.SplitSeq(path.Dir(moved), "/") {
		if folder, err = disk.Subfolder(c.Disk, folder, part); err != nil { // refuses links
			return "", err
		}
	}
	if err := disk.RemoveUnfinished(c.Disk, folder, func(string) bool { return true }); err != nil {
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
	return moved, errors.Join(c.Disk.SyncDir(folder), c.Disk.SyncDir(c.path(path.Dir(name))))
}
