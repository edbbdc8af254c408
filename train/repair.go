package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"tiro/disk"
)

// ErrNothingWhole is wrapped by Repair when all checkpoints would have to go.
var ErrNothingWhole = errors.New("no checkpoint is whole, so that nothing was moved")

// Repair is Verify for a run folder in which nobody trains, and it moves what
// is damaged aside, so that Run can go on: to the folder damaged in the run
// folder, under the names it had, a number behind those that are taken.
// Nothing is removed or overwritten. Files whose end was cut off, and a damaged
// metrics.jsonl, are written anew with what is whole of them, and what they
// were is kept aside. Files of a newer tiro, and those that the machine refuses
// to read, stay where they are.
func Repair(ctx context.Context, o VerifyOptions) (VerifyReport, error) {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	r := &repairer{verifier: verifier{VerifyOptions: o, locked: true, report: VerifyReport{Header: verifyHeader, Path: o.Path}}}
	if err := r.repair(ctx); err != nil {
		return r.report, fmt.Errorf("train: repair %s: %w", o.Path, err)
	}
	return r.report, nil
}

// repairer is a Repair under way.
type repairer struct {
	verifier
	lock disk.Lock
}

func (r *repairer) repair(ctx context.Context) (err error) {
	if info, err := r.Disk.Stat(r.Path); err != nil {
		return err
	} else if !info.IsDir() || r.isFile(r.path("info.json")) {
		return errors.New("want a run folder; the rest can only be replaced by a copy")
	}
	var folder *FileReport
	if r.isDir(lockFile) { // nobody can hold it
		aside, err := r.moveAside(lockFile)
		if err != nil {
			return err
		}
		folder = &FileReport{Path: lockFile, Status: Damaged, Detail: "want a file", Aside: aside}
	}
	r.lock, err = r.Disk.Lock(r.path(lockFile))
	if errors.Is(err, disk.ErrLocked) {
		err = fmt.Errorf("%w; stop it first", ErrInUse)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.lock.Close()) }()
	if err := r.verify(ctx); err != nil {
		return err
	}
	if folder != nil {
		r.report.Files = append(r.report.Files, *folder)
	}
	if (len(r.found) > 0 || r.told.newest > 0) && r.newest() < 0 {
		return fmt.Errorf("%w; a copy of one, or another run folder, is what is left", ErrNothingWhole)
	}
	return r.mend()
}

// mend moves and writes what the report calls for.
func (r *repairer) mend() error {
	stay := r.untouchable()
	moved := map[string]string{}
	for i := range r.report.Files {
		f := &r.report.Files[i]
		unit := unitOf(f.Path)
		if f.Status != Damaged && f.Status != Torn && !(f.Status == Missing && (unit != f.Path || unit == metricsFile)) || stay[unit] {
			continue
		}
		if err := r.lock.Check(); err != nil {
			return err
		}
		if _, ok := moved[unit]; !ok {
			to, err := r.mendUnit(unit)
			if err != nil {
				return err
			}
			moved[unit] = to
		}
		f.Aside = moved[unit]
	}
	return nil
}

// unitOf returns what is moved on account of a file: a checkpoint goes as a
// whole.
func unitOf(name string) string {
	if rest, ok := strings.CutPrefix(name, checkpointsDir+"/"); ok {
		folder, _, _ := strings.Cut(rest, "/")
		return path.Join(checkpointsDir, folder)
	}
	return name
}

// untouchable returns what stays though something is wrong with it.
func (r *repairer) untouchable() map[string]bool {
	stay := map[string]bool{}
	for _, f := range r.report.Files {
		if f.Status == Newer || f.denied {
			stay[unitOf(f.Path)] = true
		}
	}
	return stay
}

// mendUnit moves a file or folder aside, or writes it anew without what is
// damaged of it and keeps aside what it was. It returns the place.
func (r *repairer) mendUnit(name string) (aside string, err error) {
	switch begun := r.begun[name]; {
	case name == metricsFile:
		if r.isDir(name) {
			aside, err = r.moveAside(name)
		} else {
			aside, err = r.copyAside(name)
		}
		if err != nil {
			return aside, err
		}
		return aside, r.writeMetrics()
	case begun && r.game != nil:
		if aside, err = r.copyAside(name); err != nil {
			return aside, err
		}
		return aside, r.writePart(name)
	}
	return r.moveAside(name)
}

// writeMetrics writes metrics.jsonl with the lines that are whole and, where
// there is none, those that the checkpoints hold.
func (r *repairer) writeMetrics() error {
	lines := map[int][]byte{}
	for g, c := range r.found {
		if c.whole && c.line != nil {
			lines[g] = c.line
		}
	}
	for g, line := range r.told.lines {
		lines[g] = line.text
	}
	var all bytes.Buffer
	for _, g := range slices.Sorted(maps.Keys(lines)) {
		all.Write(lines[g])
	}
	return disk.WriteFile(r.Disk, r.path(metricsFile), func(w io.Writer) error {
		_, err := w.Write(all.Bytes())
		return err
	})
}

// writePart writes the games of an unfinished generation anew, up to the first
// fault.
func (r *repairer) writePart(name string) error {
	h, episodes, err := readEpisodes(r.Disk, r.path(name), r.game)
	if unreadable(err) {
		return err // and not the fault that it has
	}
	return disk.WriteFile(r.Disk, r.path(name), func(w io.Writer) error { return writePart(w, r.game, h, episodes) })
}

// freeName returns the place for a file in the folder of what is damaged.
func (r *repairer) freeName(name string) (string, error) {
	free := path.Join(damagedDir, name)
	for n := 2; ; n++ {
		_, err := r.Disk.Stat(r.path(free))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return "", err
		}
		free = fmt.Sprintf("%s~%d", path.Join(damagedDir, name), n)
	}
	return free, disk.MkdirAll(r.Disk, r.path(path.Dir(free)))
}

// moveAside moves a file or folder to the folder of what is damaged.
func (r *repairer) moveAside(name string) (aside string, err error) {
	if aside, err = r.freeName(name); err != nil {
		return "", err
	}
	if err := r.Disk.Rename(r.path(name), r.path(aside)); err != nil {
		return "", err
	}
	return aside, errors.Join(r.Disk.SyncDir(r.path(path.Dir(aside))), r.Disk.SyncDir(r.path(path.Dir(name))))
}

// copyAside copies a file to the folder of what is damaged; of one that is
// missing, nothing is in the copy.
func (r *repairer) copyAside(name string) (aside string, err error) {
	if aside, err = r.freeName(name); err != nil {
		return "", err
	}
	var from io.Reader = strings.NewReader("")
	switch file, err := r.Disk.Open(r.path(name)); {
	case err == nil:
		defer file.Close()
		from = file
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	return aside, disk.WriteFile(r.Disk, r.path(aside), func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}
