package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
)

// Options are the arguments of Verify and Repair.
type Options struct {
	Path     string                // of the run folder
	Find     env.Lookup            // such as games.New
	Disk     disk.FS               // nil: disk.OS{}
	Progress func(done, total int) // checkpoints and files of games checked; may be nil
}

// Status is the result of checking a part.
type Status string

// The statuses of a part.
const (
	OK        Status = "ok"
	Damaged   Status = "damaged"
	Missing   Status = "missing"
	Unchecked Status = "unchecked" // the machine cannot read it, or another version of tiro wrote it
)

// Part is a file of a run, or a checkpoint.
type Part struct {
	Path    string // from the run folder, with slashes; else the name alone
	Status  Status
	Detail  string // what it holds, or what is wrong with it
	MovedTo string // where Repair has moved it, now or, if it is missing, earlier
}

// Bad reports whether the part is lost or cannot be checked. A part that an earlier
// Repair has moved is not bad.
func (p Part) Bad() bool { return p.Status != OK && (p.Status != Missing || p.MovedTo == "") }

// Report is the result of Verify.
type Report struct {
	Path     string
	Training bool // a process is or was training there; parts that came or went are left out
	Parts    []Part

	// How the run would resume; unknown while a process trains or if a part is unchecked.
	Checkpoint int   // the newest intact one; -1 if there is none
	Newest     int   // the last generation that the run had completed; -1 if there is none
	Lost       []int // generations in the replay window of Checkpoint without intact games

	// Changed are the generations after Checkpoint that were made with other settings than
	// the run has now, or by the run that it was forked from. The run does not repeat them:
	// they would come out differently. Instead is what a person can do then.
	Changed []int
	Instead string
}

// OK reports whether no part is bad.
func (r *Report) OK() bool { return !slices.ContainsFunc(r.Parts, Part.Bad) }

// Checked reports whether all parts could be checked.
func (r *Report) Checked() bool {
	return !slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Status == Unchecked })
}

// Verify checks a run folder. The error is about what kept Verify from
// looking, not about what it found.
func Verify(ctx context.Context, o Options) (Report, error) {
	c := newChecker(o)
	if err := c.verify(ctx); err != nil {
		return Report{}, fmt.Errorf("verify %s: %w", o.Path, err)
	}
	return c.report, nil
}

// checker is a Verify in progress.
type checker struct {
	Options
	folder rundir.Folder // what the paths of parts are relative to
	report Report
	lock   *rundir.Locked // held by Repair

	config      *recipe.Config // nil if it cannot be read
	game        env.Game       // of the run; nil if unknown
	origins     []card.Origin
	lines       map[int]rundir.MetricsLine
	checkpoints map[int]*saved // by generation; nil: damaged
	games       map[int]int    // samples by generation; -1: damaged

	done, total int // of Progress
}

// saved is an intact checkpoint.
type saved struct {
	metrics     rundir.Metrics // zero for generation 0
	fingerprint string         // of the weights
}

func newChecker(o Options) *checker {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	return &checker{
		Options: o, folder: rundir.At(o.Disk, o.Path), report: Report{Path: o.Path, Checkpoint: -1, Newest: -1},
		lines: map[int]rundir.MetricsLine{}, checkpoints: map[int]*saved{}, games: map[int]int{},
	}
}

// check adds a part that do checks, which returns what it holds.
func (c *checker) check(ctx context.Context, name string, do func() (detail string, err error)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	detail, err := do()
	c.add(name, detail, err)
	if c.done++; c.Progress != nil {
		c.Progress(c.done, c.total)
	}
	return nil
}

// add adds a part, which is intact unless err is set.
func (c *checker) add(name, detail string, err error) {
	p := Part{Path: name, Status: OK, Detail: detail}
	if err != nil {
		p.Status, p.Detail = Damaged, err.Error()
	}
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) && (name == rundir.ConfigFile || name == rundir.MetricsFile):
		p.Status = Missing
	case rundir.MayBeIntact(err):
		p.Status = Unchecked
	}
	c.report.Parts = append(c.report.Parts, p)
}

// missing adds a part that should be there.
func (c *checker) missing(name, detail string) {
	p := Part{Path: name, Status: Missing, Detail: detail}
	if moved := rundir.DamagedDir + "/" + name; c.exists(moved) {
		p.MovedTo = moved
	}
	c.report.Parts = append(c.report.Parts, p)
}

// path returns the path of a part.
func (c *checker) path(name string) string { return c.folder.Path(filepath.FromSlash(name)) }

func (c *checker) exists(name string) bool {
	_, err := c.Disk.Stat(c.path(name))
	return !errors.Is(err, fs.ErrNotExist)
}
