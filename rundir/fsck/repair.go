package fsck

import (
	"context"
	"errors"
	"fmt"
	"io"
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
// with a number behind if that is taken. A checkpoint is moved as a whole. A
// damaged metrics.jsonl is copied, and written anew with the lines that are intact
// or that a checkpoint holds. Nothing is removed or overwritten. Files of another
// version of tiro, and those that the machine refuses to read, stay where they
// are.
func Repair(ctx context.Context, o Options) (Report, error) {
	c := newChecker(o)
	if err := c.repair(ctx); err != nil {
		return c.report, fmt.Errorf("repair %s: %w", o.Path, err)
	}
	return c.report, nil
}

func (c *checker) repair(ctx context.Context) (err error) {
	switch place, err := rundir.ResolvePath(c.Disk, c.Path); {
	case err != nil:
		return err
	case place.Kind != rundir.PlaceRun:
		return errors.New("want a run folder; anything else can only be replaced by a copy")
	}
	var files []File
	if c.isDir(rundir.LockFile) { // which nobody can hold
		aside, err := c.moveAside(rundir.LockFile)
		if err != nil {
			return err
		}
		files = []File{{Path: rundir.LockFile, Status: Damaged, Detail: "want a file", MovedTo: aside}}
	}
	lock, err := c.folder.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	c.locked = true
	if err := c.verify(ctx); err != nil {
		return err
	}
	if c.report.Plan.Newest >= 0 && c.newest() < 0 {
		return fmt.Errorf("%w; bring a copy of one back, or use another run folder", ErrNoneIntact)
	}
	err = c.repairFiles(lock)
	c.report.Files = append(c.report.Files, files...)
	return err
}

// repairFiles moves and writes what the report calls for.
func (c *checker) repairFiles(lock *rundir.Locked) error {
	stays := map[string]bool{}
	for _, f := range c.report.Files {
		if f.Status == Unsupported || f.unreadable {
			stays[unitOf(f.Path)] = true
		}
	}
	moved := map[string]string{}
	for i := range c.report.Files {
		f := &c.report.Files[i]
		unit := unitOf(f.Path)
		partOfUnit := unit != f.Path || unit == rundir.MetricsFile
		if stays[unit] || f.Status != Damaged && (f.Status != Missing || !partOfUnit) {
			continue
		}
		if err := lock.Check(); err != nil {
			return err
		}
		if moved[unit] == "" {
			var err error
			if unit == rundir.MetricsFile {
				moved[unit], err = c.rewriteMetrics()
			} else {
				moved[unit], err = c.moveAside(unit)
			}
			if err != nil {
				return err
			}
		}
		f.MovedTo = moved[unit]
	}
	return nil
}

// rewriteMetrics writes metrics.jsonl with the lines that are intact and, where
// there is none, those that checkpoints hold, after it has kept the file as it
// was. Of a missing file it keeps an empty one: what is lost with it was given up.
func (c *checker) rewriteMetrics() (aside string, err error) {
	f := &c.metrics
	if f.err == nil || errors.Is(f.err, fs.ErrNotExist) {
		if aside, err = c.freeName(rundir.MetricsFile); err == nil {
			err = c.write(aside, f.data)
		}
	} else {
		aside, err = c.moveAside(rundir.MetricsFile)
	}
	if err != nil {
		return "", err
	}
	lines := map[int][]byte{}
	for g, found := range c.checkpoints {
		if found.ok && found.line != nil {
			lines[g] = found.line
		}
	}
	for g, line := range f.lines {
		lines[g] = line.text
	}
	var all []byte
	for _, g := range slices.Sorted(maps.Keys(lines)) {
		all = append(all, lines[g]...)
	}
	return aside, c.write(rundir.MetricsFile, all)
}

func (c *checker) write(name string, data []byte) error {
	return disk.WriteFile(c.Disk, c.path(name), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// damagedPath returns where a file is moved to if that name is free.
func damagedPath(name string) string { return path.Join(rundir.DamagedDir, name) }

// freeName returns a free name for a file among what is damaged, and makes its
// folder.
func (c *checker) freeName(name string) (string, error) {
	free := damagedPath(name)
	for n := 2; ; n++ {
		_, err := c.Disk.Stat(c.path(free))
		if errors.Is(err, fs.ErrNotExist) {
			return free, disk.MkdirAll(c.Disk, c.path(path.Dir(free)))
		}
		if err != nil {
			return "", err
		}
		free = fmt.Sprintf("%s~%d", damagedPath(name), n)
	}
}

// moveAside moves a file or folder to what is damaged.
func (c *checker) moveAside(name string) (aside string, err error) {
	if aside, err = c.freeName(name); err != nil {
		return "", err
	}
	if err := c.Disk.Rename(c.path(name), c.path(aside)); err != nil {
		return "", err
	}
	return aside, errors.Join(c.Disk.SyncDir(c.path(path.Dir(aside))), c.Disk.SyncDir(c.path(path.Dir(name))))
}
