package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"tiro/disk"
)

// verifyRun looks at a run folder. Metrics are read first and checkpoints
// listed next, since a run that is under way writes a checkpoint before its
// line, and its games before both.
func (v *verifier) verifyRun(ctx context.Context) error {
	entries, err := v.Disk.ReadDir(v.Path)
	if err != nil {
		return err
	}
	if err := refuseUnlikely(entries); err != nil {
		return err
	}
	v.report.Training = v.training()
	v.aside = v.movedBefore()
	v.verifyConfig()
	v.readMetricsFile()
	checkpoints, others := v.list(checkpointsDir)
	games, more := v.list(episodesDir)
	for _, e := range slices.Concat(checkpoints, games) {
		v.total += e.bytes
	}
	if err := v.verifyCheckpoints(ctx, checkpoints); err != nil {
		return err
	}
	v.verifyMetrics()
	if err := v.verifyEpisodes(ctx, games); err != nil {
		return err
	}
	v.report.Files = append(v.report.Files, slices.Concat(others, more, v.rest(entries))...)
	v.outlook()
	v.forgive()
	return nil
}

// refuseUnlikely returns an error for a folder that is nothing we know.
func refuseUnlikely(entries []fs.DirEntry) error {
	for _, e := range entries {
		switch e.Name() {
		case configFile, checkpointsDir, episodesDir, metricsFile:
			return nil
		}
	}
	return fmt.Errorf("neither %s nor %s is there; want a run folder, a checkpoint, a weights file or an episode file", configFile, checkpointsDir)
}

// training reports whether a process trains in the folder. To ask, it takes
// the lock for an instant, if there is one.
func (v *verifier) training() bool {
	if v.locked || !v.isFile(v.path(lockFile)) {
		return false
	}
	lock, err := v.Disk.Lock(v.path(lockFile))
	if err == nil {
		_ = lock.Close()
	}
	return errors.Is(err, disk.ErrLocked)
}

// verifyConfig reads config.yaml.
func (v *verifier) verifyConfig() {
	c := Default("")
	err := c.loadSealed(v.Disk, v.path(configFile))
	if err == nil {
		err = c.Validate()
	}
	if err == nil {
		v.game, err = v.Find(c.Game)
	}
	if err != nil {
		v.fault(&v.report, configFile, err)
		return
	}
	v.config = &c
	v.report.add(configFile, Whole, "%s, seed %d", c.Game, c.Seed)
}

// entry is a file or folder of a run that has a number in its name.
type entry struct {
	path       string // in the run folder, with slashes
	generation int
	part       bool // games of a generation under way
	bytes      int64
}

// list returns what is in a folder of the run by generation, and reports on
// the rest.
func (v *verifier) list(dir string) (known []entry, others []FileReport) {
	entries, err := v.Disk.ReadDir(v.path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r VerifyReport
	if err != nil {
		v.fault(&r, dir, fmt.Errorf("%w; want a folder", err))
		r.Files[0].denied = v.isDir(dir)
		return nil, r.Files
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		found := entry{path: name}
		ok := false
		if dir == checkpointsDir {
			found.generation, ok = numberOf(e.Name())
			found.bytes = v.folderSize(name)
		} else {
			found.generation, found.part, ok = gamesName(e.Name())
			found.bytes = v.size(v.path(name))
		}
		switch {
		case ok:
			known = append(known, found)
		case strings.HasSuffix(e.Name(), disk.Unfinished):
			r.add(name, Leftover, "what a stop has left unfinished; the run removes it")
		default:
			r.add(name, Unknown, "not of this run; left alone")
		}
	}
	slices.SortFunc(known, func(a, b entry) int {
		if a.generation != b.generation {
			return a.generation - b.generation
		}
		return strings.Compare(a.path, b.path)
	})
	return known, r.Files
}

func (v *verifier) isDir(name string) bool {
	info, err := v.Disk.Stat(v.path(name))
	return err == nil && info.IsDir()
}

// folderSize returns the bytes of the files in a folder.
func (v *verifier) folderSize(name string) (size int64) {
	entries, err := v.Disk.ReadDir(v.path(name))
	if err != nil {
		return 0
	}
	for _, e := range entries {
		size += v.size(v.path(path.Join(name, e.Name())))
	}
	return size
}

// rest reports on what is in the run folder itself, apart from what was looked
// at.
func (v *verifier) rest(entries []fs.DirEntry) []FileReport {
	var r VerifyReport
	for _, e := range entries {
		name := e.Name()
		switch name {
		case configFile, metricsFile, checkpointsDir, episodesDir, damagedDir:
			continue
		case lockFile, "log.jsonl", "log.old.jsonl": // nothing depends on what is in them
			if info, err := v.Disk.Stat(v.path(name)); err == nil && !info.Mode().IsRegular() {
				r.add(name, Damaged, "want a file")
			}
			continue
		}
		if strings.HasSuffix(name, disk.Unfinished) {
			r.add(name, Leftover, "what a stop has left unfinished; the run removes it")
			continue
		}
		r.add(name, Unknown, "not of this run; left alone")
	}
	return r.Files
}

// movedBefore returns where an earlier Repair has moved files and folders.
func (v *verifier) movedBefore() map[string]string {
	moved := map[string]string{}
	for _, dir := range []string{"", checkpointsDir, episodesDir} {
		entries, err := v.Disk.ReadDir(v.path(path.Join(damagedDir, dir)))
		if err != nil {
			continue
		}
		for _, e := range entries {
			// A name that was taken got a number.
			original := path.Join(dir, e.Name())
			if base, number, ok := strings.Cut(original, "~"); ok && isCount(number) {
				original = base
			}
			moved[original] = path.Join(damagedDir, dir, e.Name())
		}
	}
	return moved
}

func isCount(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}

// miss reports a file that should be there.
func (v *verifier) miss(name, format string, args ...any) {
	f := v.report.add(name, Missing, format, args...)
	f.Aside, f.given, f.unseen = v.aside[name], v.aside[name] != "", true
}

// forgive takes back what was said of files that went away because the run went
// on meanwhile, and how it would go on from where it was.
func (v *verifier) forgive() {
	wentOn := v.wentOn()
	v.report.Training = v.report.Training || wentOn || v.training()
	if !v.report.Training {
		return
	}
	if wentOn {
		v.report.Outlook = nil
	}
	v.report.Files = slices.DeleteFunc(v.report.Files, func(f FileReport) bool {
		if f.Status != Missing && f.Status != Damaged && f.Status != Leftover {
			return false
		}
		_, err := v.Disk.Stat(v.path(unitOf(f.Path)))
		return errors.Is(err, fs.ErrNotExist) && (!f.unseen || wentOn)
	})
}

// wentOn reports whether the run has a newer checkpoint than at first.
func (v *verifier) wentOn() bool {
	now, _ := v.list(checkpointsDir)
	newest := -1
	if len(now) > 0 {
		newest = now[len(now)-1].generation
	}
	return newest > slices.Max(append(slices.Collect(maps.Keys(v.found)), -1))
}
