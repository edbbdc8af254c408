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
	"sync/atomic"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/models"
	"tiro/rundir"
)

// Options say what to verify.
type Options struct {
	Path     string                  // a run folder, a checkpoint, a weights file or an episode file
	Find     env.Lookup              // such as games.New
	Disk     disk.FS                 // nil: disk.OS{}
	Workers  int                     // parts at a time; the report does not depend on it
	Progress func(done, total int64) // bytes checked; may be nil; called by one goroutine at a time
}

// Status is what Verify says of a part of a run.
type Status string

// What a part may be.
const (
	OK          Status = "ok"
	Damaged     Status = "damaged"
	Missing     Status = "missing"
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

	unreadable bool // the machine refuses to read it, so that it may well be intact
}

// Bad reports whether something is lost with the part. What an earlier Repair has
// moved away is not lost.
func (p Part) Bad() bool {
	return p.Status == Damaged || p.Status == Unsupported || p.Status == Missing && p.MovedTo == ""
}

// Report is what Verify found.
type Report struct {
	format.Header
	Path     string `json:"path"`
	Kind     string `json:"kind"`     // "run", "checkpoint", "weights" or "episodes"
	Training bool   `json:"training"` // a process is or was training there; parts that are not there are left out
	Parts    []Part `json:"parts"`
	Plan     *Plan  `json:"plan,omitempty"` // of a run, unless it went on meanwhile
}

var reportHeader = format.Header{Format: 2, What: "tiro verification"}

// OK reports whether no part is bad.
func (r *Report) OK() bool { return !slices.ContainsFunc(r.Parts, Part.Bad) }

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

	config      *rundir.Config // nil if it cannot be read
	game        env.Game       // of the run; nil if unknown
	metrics     metricsFile
	checkpoints map[int]*checkpoint // by generation
	games       map[int]*games      // of generations that are complete

	mu          sync.Mutex
	done, total int64 // bytes
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

// verify checks what the path leads to.
func (c *checker) verify(ctx context.Context) error {
	place, err := rundir.ResolvePath(c.Disk, c.Path)
	if err != nil {
		return err
	}
	c.report.Kind = place.Kind
	if place.Kind == rundir.PlaceRun {
		return c.verifyRun(ctx)
	}
	dir, name := filepath.Split(filepath.Clean(place.Path))
	c.folder = rundir.At(c.Disk, dir)
	one := entry{name: name, generation: place.Generation, bytes: c.size(name)}
	c.total = one.bytes
	return c.each(ctx, []entry{one}, func(e entry) []Part {
		switch place.Kind {
		case rundir.PlaceCheckpoint:
			_, parts := c.checkCheckpoint(e)
			return parts
		case rundir.PlaceWeights:
			return []Part{c.checkWeights(e)}
		}
		n, err := c.readEpisodes(ctx, e.name, expected{})
		return []Part{c.result(e.name, n.String(), err)}
	})
}

// checkWeights checks a weights file that no checkpoint has a checksum of.
func (c *checker) checkWeights(e entry) Part {
	w, info, err := models.Open(c.Disk, c.path(e.name), c.Find)
	if err != nil {
		return c.fault(e.name, err)
	}
	return c.result(e.name, fmt.Sprintf("a network for %s, %d parameters; no checksum covers them", info.Game, w.Parameters()), nil)
}

// path returns the path of a part.
func (c *checker) path(name string) string { return c.folder.Path(filepath.FromSlash(name)) }

// mode returns the mode of a part, and whether it exists.
func (c *checker) mode(name string) (mode fs.FileMode, exists bool) {
	info, err := c.Disk.Stat(c.path(name))
	if err != nil {
		return 0, false
	}
	return info.Mode(), true
}

func (c *checker) exists(name string) bool {
	_, exists := c.mode(name)
	return exists
}

func (c *checker) isFile(name string) bool {
	mode, exists := c.mode(name)
	return exists && mode.IsRegular()
}

func (c *checker) isDir(name string) bool {
	mode, _ := c.mode(name)
	return mode.IsDir()
}

// size returns the bytes of a file, or of the files in a folder.
func (c *checker) size(name string) (size int64) {
	info, err := c.Disk.Stat(c.path(name))
	if err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	entries, _ := c.Disk.ReadDir(c.path(name))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
	}
	return size
}

// result returns what a check found: err, or that the part is intact.
func (c *checker) result(name, detail string, err error) Part {
	if err != nil {
		return c.fault(name, err)
	}
	return Part{Path: name, Status: OK, Detail: detail}
}

// fault returns what err makes of the part that it was met in.
func (c *checker) fault(name string, err error) Part {
	p := Part{Path: name, Status: Damaged, unreadable: rundir.Unreadable(err)}
	switch {
	case format.OtherVersion(err):
		p.Status = Unsupported
	case errors.Is(err, fs.ErrNotExist) && !c.exists(name):
		p.Status = Missing
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

// each calls check with every entry, as many at a time as there are workers, and
// adds what it returns to the report, in order.
func (c *checker) each(ctx context.Context, entries []entry, check func(entry) []Part) error {
	parts := make([][]Part, len(entries))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(max(1, c.Workers), len(entries)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(entries) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				parts[i] = check(entries[i])
				c.advance(entries[i].bytes)
			}
		})
	}
	wait.Wait()
	c.add(slices.Concat(parts...)...)
	return context.Cause(ctx)
}

func (c *checker) add(parts ...Part) { c.report.Parts = append(c.report.Parts, parts...) }

// advance tells Progress of bytes that were checked.
func (c *checker) advance(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	if c.Progress != nil {
		c.Progress(min(c.done, c.total), c.total)
	}
}
