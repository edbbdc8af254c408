package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/models"
	"tiro/recipe"
	"tiro/rundir"
)

// Options say what to verify.
type Options struct {
	Path     string                // a run folder, a checkpoint, a weights file or an episode file
	Find     env.Lookup            // such as games.New
	Disk     disk.FS               // nil: disk.OS{}
	Workers  int                   // parts at a time; the report does not depend on it
	Progress func(done, total int) // parts checked; may be nil; called by one goroutine at a time
}

// Status is what Verify says of a part of a run.
type Status string

// What a part may be.
const (
	OK          Status = "ok"
	Damaged     Status = "damaged"
	Missing     Status = "missing"
	Unreadable  Status = "unreadable"  // the machine refuses to read it, so that it may well be intact
	Unsupported Status = "unsupported" // written by another version of tiro
	Incomplete  Status = "incomplete"  // a stop cut it off or left it behind; the run completes or removes it
	Unknown     Status = "unknown"     // not part of a run; left alone
)

// Part is what Verify says of a part of a run: of a file, or of a checkpoint.
type Part struct {
	Path    string `json:"path"` // from the run folder, with slashes; else the name alone
	Status  Status `json:"status"`
	Detail  string `json:"detail"`             // what it holds, or what is wrong with it
	MovedTo string `json:"moved_to,omitempty"` // where Repair has moved it, now or, if it is missing, earlier
}

// Bad reports whether the part is lost or cannot be checked. What an earlier
// Repair has moved away is not lost.
func (p Part) Bad() bool {
	switch p.Status {
	case Damaged, Unreadable, Unsupported:
		return true
	case Missing:
		return p.MovedTo == ""
	}
	return false
}

// Report is what Verify found.
type Report struct {
	format.Header
	Path     string `json:"path"`
	Kind     string `json:"kind"`     // "run", "checkpoint", "weights" or "episodes"
	Training bool   `json:"training"` // a process is or was training there; parts that are not there are left out
	Parts    []Part `json:"parts"`
	Plan     *Plan  `json:"plan,omitempty"` // of a run; nil if it went on meanwhile or a part is unreadable
}

var reportHeader = format.Header{Format: 3, What: "tiro verification"}

// OK reports whether no part is bad.
func (r *Report) OK() bool { return !slices.ContainsFunc(r.Parts, Part.Bad) }

// Readable reports whether the machine let Verify read every part.
func (r *Report) Readable() bool {
	return !slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Status == Unreadable })
}

// Verify checks what a path leads to. The error is of what kept Verify from
// looking, not of what it found.
//
// Memory is bounded by metrics.jsonl and, for each worker, a checkpoint and a
// game, whatever the files hold.
func Verify(ctx context.Context, o Options) (Report, error) {
	c := newChecker(o)
	if err := c.verify(ctx); err != nil {
		return Report{}, fmt.Errorf("verify %s: %w", o.Path, err)
	}
	return c.report, nil
}

// checker is a Verify under way.
type checker struct {
	Options
	folder rundir.Folder // what the paths of parts are relative to
	report Report
	lock   *rundir.Locked // held by Repair

	config      *recipe.Config // nil if it cannot be read
	game        env.Game       // of the run; nil if unknown
	metrics     metricsFile
	checkpoints map[int]*checkpoint // by generation; damaged ones too
	games       map[int]*games      // of generations that are complete; damaged ones too

	mu          sync.Mutex
	done, total int // parts
}

func newChecker(o Options) *checker {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	return &checker{
		Options: o, folder: rundir.At(o.Disk, o.Path), report: Report{Header: reportHeader, Path: o.Path},
		checkpoints: map[int]*checkpoint{}, games: map[int]*games{},
	}
}

// entry is a part that is there.
type entry struct {
	name       string // from the folder, with slashes
	kind       rundir.Kind
	generation int // negative: any
	mode       fs.FileMode
}

// weights is the kind of a weights file that is in no checkpoint.
const weights rundir.Kind = -1

// verify checks what the path leads to.
func (c *checker) verify(ctx context.Context) error {
	place, err := rundir.Resolve(c.Disk, c.Path)
	if err != nil {
		return err
	}
	c.report.Kind = place.Kind
	if place.Kind == rundir.PlaceRun {
		return c.verifyRun(ctx)
	}
	dir, name := filepath.Split(filepath.Clean(place.Path))
	c.folder, c.total = rundir.At(c.Disk, dir), 1
	part := entry{name: name, generation: -1}
	switch place.Kind {
	case rundir.PlaceCheckpoint:
		part.kind, part.mode = rundir.Checkpoint, fs.ModeDir
	case rundir.PlaceWeights:
		part.kind = weights
	default:
		part.kind = rundir.Episodes
	}
	return c.each(ctx, []entry{part})
}

// check checks a part by its kind.
func (c *checker) check(ctx context.Context, e entry) []Part {
	switch dir := e.kind == rundir.Checkpoint; {
	case e.kind == rundir.Temporary:
		return []Part{{Path: e.name, Status: Incomplete, Detail: "a stop has left it behind; the run removes it"}}
	case e.kind == rundir.Unknown:
		return []Part{stray(e.name)}
	case dir && !e.mode.IsDir():
		return []Part{{Path: e.name, Status: Damaged, Detail: "want a folder"}}
	case !dir && !e.mode.IsRegular():
		return []Part{{Path: e.name, Status: Damaged, Detail: "want a file"}}
	}
	switch e.kind {
	case rundir.Checkpoint:
		return c.checkCheckpoint(e)
	case rundir.Episodes, rundir.PartialEpisodes:
		return []Part{c.checkEpisodes(ctx, e)}
	case weights:
		_, info, err := models.Open(c.Disk, c.path(e.name), c.find)
		return []Part{c.result(e.name, fmt.Sprintf("a network for %s, %d parameters; no checksum covers them", info.Game, info.Parameters), err)}
	}
	return nil // the lock, or a log for people
}

// stray returns what to say of a file that is not part of a run.
func stray(name string) Part {
	return Part{Path: name, Status: Unknown, Detail: "not part of a run; left alone"}
}

// path returns the path of a part.
func (c *checker) path(name string) string { return c.folder.Path(filepath.FromSlash(name)) }

func (c *checker) exists(name string) bool {
	_, err := c.Disk.Stat(c.path(name))
	return err == nil
}

func (c *checker) add(parts ...Part) { c.report.Parts = append(c.report.Parts, parts...) }

// result returns what a check found: err, or that the part is intact.
func (c *checker) result(name, detail string, err error) Part {
	if err == nil {
		return Part{Path: name, Status: OK, Detail: detail}
	}
	p := Part{Path: name, Status: Damaged}
	switch {
	case format.OtherVersion(err):
		p.Status = Unsupported
	case errors.Is(err, fs.ErrNotExist) && !c.exists(name):
		p.Status = Missing
	case rundir.Unreadable(err):
		p.Status = Unreadable
	}
	// One line, without the path, which stands in front of it.
	text, path := err.Error(), c.path(name)
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == path {
		text = strings.Replace(text, e.Error(), e.Err.Error(), 1)
	}
	p.Detail = strings.NewReplacer(
		"models: open "+path+": ", "", path+": ", "", path+string(filepath.Separator), "",
		"selfplay: read episodes: ", "", "\n", "; ",
	).Replace(text)
	return p
}

// each checks entries, as many at a time as there are workers, and adds them to
// the report in order.
func (c *checker) each(ctx context.Context, entries []entry) error {
	parts := make([][]Part, len(entries))
	workers := make(chan struct{}, max(1, c.Workers))
	var wait sync.WaitGroup
	for i, e := range entries {
		workers <- struct{}{}
		wait.Go(func() {
			if ctx.Err() == nil {
				parts[i] = c.check(ctx, e)
				c.advance()
			}
			<-workers
		})
	}
	wait.Wait()
	c.add(slices.Concat(parts...)...)
	return context.Cause(ctx)
}

// advance tells Progress of a part that was checked.
func (c *checker) advance() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if c.Progress != nil {
		c.Progress(c.done, c.total)
	}
}
