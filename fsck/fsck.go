package fsck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
)

// Options are the arguments of Verify and Repair.
type Options struct {
	Path     string                // path of the run folder
	Find     env.Lookup            // such as games.New
	Disk     disk.FS               // nil: disk.OS{}
	Progress func(done, total int) // receives the number of checked checkpoints and episode files; may be nil
}

// Status is the result of checking a part.
type Status string

// Statuses of a part.
const (
	OK        Status = "ok"
	Damaged   Status = "damaged"
	Missing   Status = "missing"
	Unchecked Status = "unchecked" // unreadable at the moment, or written by another version of tiro
)

// Part is a file or checkpoint of a run.
type Part struct {
	Path    string // relative to the run folder, slash-separated
	Status  Status
	Detail  string // a description of the content, or the fault
	MovedTo string // path to which Repair has moved the part
}

// Report is the result of Verify.
type Report struct {
	Path  string
	Parts []Part

	// How the run would resume. The fields are unset if a part is unchecked.
	Checkpoint int   // the newest intact checkpoint; -1 if there is none
	Newest     int   // the last completed generation; -1 if there is none
	Lost       []int // generations in the replay window of Checkpoint whose games are damaged or missing

	// Changed lists the generations after Checkpoint that had other settings than the run has
	// now, or that belong to the parent of a fork. The run does not repeat them, because the
	// results would differ. Instead describes the remedy.
	Changed []int
	Instead string
}

// OK reports whether every part is intact and nothing is lost.
func (r Report) OK() bool {
	return r.Bad() == 0 && r.Checkpoint == r.Newest && len(r.Lost) == 0
}

// Bad returns the number of parts that are not intact.
func (r Report) Bad() (n int) {
	for _, p := range r.Parts {
		if p.Status != OK {
			n++
		}
	}
	return n
}

// Checked reports whether all parts could be checked.
func (r Report) Checked() bool {
	return !slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Status == Unchecked })
}

// Verify checks a run folder in which no process trains. It returns an error if it cannot check
// the folder; faults in the folder are in the Report.
func Verify(ctx context.Context, o Options) (Report, error) {
	c := newChecker(o)
	if err := c.isRun(); err != nil {
		return Report{}, fmt.Errorf("verify %s: %w", o.Path, err)
	}
	if info, err := c.Disk.Stat(c.path(rundir.LockFile)); err == nil && info.Mode().IsRegular() {
		lock, err := c.folder.Lock()
		if errors.Is(err, rundir.ErrInUse) {
			return Report{}, fmt.Errorf("verify %s: %w", o.Path, err)
		}
		if err == nil { // otherwise the disk may be read-only
			defer func() { _ = lock.Close() }()
		}
	}
	if err := c.verify(ctx); err != nil {
		return Report{}, fmt.Errorf("verify %s: %w", o.Path, err)
	}
	return c.report, nil
}

// checker is a Verify in progress. Its report's Checkpoint and Newest are the newest intact
// checkpoint and generation so far.
type checker struct {
	Options
	folder rundir.Folder // the run folder
	report Report

	config      *recipe.Config // nil if unreadable
	game        env.Game       // the run's game; nil if unknown
	origins     []card.Origin
	lines       map[int]rundir.MetricsLine // by generation; nil before checkMetrics
	checkpoints map[int]saved              // intact checkpoints by generation
	samples     map[int]int                // number of samples in intact games, by generation
}

// saved is an intact checkpoint.
type saved struct {
	metrics     rundir.Metrics // zero for generation 0
	fingerprint string         // fingerprint of the weights
}

func newChecker(o Options) *checker {
	o.Disk = cmp.Or[disk.FS](o.Disk, disk.OS{})
	return &checker{
		Options: o, folder: rundir.At(o.Disk, o.Path), report: Report{Path: o.Path, Checkpoint: -1, Newest: -1},
		checkpoints: map[int]saved{}, samples: map[int]int{},
	}
}

// isRun returns an error unless the path leads to a run folder.
func (c *checker) isRun() error {
	place, err := rundir.Resolve(c.Disk, c.Path)
	if err == nil && place.Kind != rundir.PlaceRun {
		err = errors.New("not a run folder")
	}
	return err
}

// verify checks the run folder.
func (c *checker) verify(ctx context.Context) error {
	c.checkConfig()
	files, err := c.list()
	if err != nil {
		return err
	}
	for i, f := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if f.kind == rundir.Checkpoint {
			detail, err := c.checkCheckpoint(f)
			c.add(f.name, detail, err)
		} else {
			c.checkMetrics()
			detail, err := c.checkGames(f)
			c.add(f.name, detail, err)
		}
		if c.Progress != nil {
			c.Progress(i+1, len(files))
		}
	}
	c.checkMetrics()
	if c.report.Checked() {
		c.plan()
	} else {
		c.report.Checkpoint, c.report.Newest = -1, -1
	}
	return nil
}

// plan determines how the run would resume.
func (c *checker) plan() {
	r := &c.report
	if len(c.origins) > 0 {
		r.Newest = max(r.Newest, card.ForkedAt(c.origins))
	}
	if r.Checkpoint < 0 {
		return
	}
	if c.config != nil {
		r.Changed, _ = recipe.Changed(c.folder, c.config, r.Checkpoint) // a damaged origin.json is reported as a part
		if len(r.Changed) > 0 {
			r.Newest = max(r.Newest, r.Changed[len(r.Changed)-1])
			r.Instead = recipe.Instead(c.folder, r.Checkpoint)
		}
	}
	window := c.checkpoints[r.Checkpoint].metrics.Window
	for g := r.Checkpoint; g > 0 && window > 0; g-- {
		samples, intact := c.samples[g]
		if !intact {
			samples = cmp.Or(c.lines[g].Samples, c.checkpoints[g].metrics.Samples)
			r.Lost = append(r.Lost, g)
		}
		window -= samples
	}
	slices.Reverse(r.Lost)
}
