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
	"tiro/rundir"
)

// Options say what to verify.
type Options struct {
	Path     string                  // a run folder, a checkpoint, a weights file or an episode file
	Find     env.Lookup              // such as games.New
	Disk     disk.FS                 // nil: disk.OS{}
	Workers  int                     // files at a time; the report does not depend on it
	Progress func(done, total int64) // bytes checked; may be nil; called by one goroutine at a time
}

// Status is what Verify says of a file.
type Status string

// What a file may be.
const (
	OK          Status = "ok"
	Damaged     Status = "damaged"
	Missing     Status = "missing"
	Unsupported Status = "unsupported" // written by another version of tiro
	Incomplete  Status = "incomplete"  // a stop cut it off or left it behind; the run completes or removes it
	Unknown     Status = "unknown"     // not part of a run; left alone
)

// File is what Verify says of one file, or of a folder as a whole.
type File struct {
	Path    string `json:"path"` // from Report.Path, with slashes
	Status  Status `json:"status"`
	Detail  string `json:"detail"`             // what it holds, or what is wrong with it
	MovedTo string `json:"moved_to,omitempty"` // where Repair has moved it, now or earlier

	unreadable bool // the machine refuses to read it, so that it may well be intact
	given      bool // missing, and Repair has moved it away earlier
}

// Bad reports whether something is lost with the file. A missing file that an
// earlier Repair has moved away is not bad.
func (f *File) Bad() bool {
	return f.Status == Damaged || f.Status == Unsupported || f.Status == Missing && !f.given
}

// Report is what Verify found.
type Report struct {
	format.Header
	Path     string `json:"path"`
	Kind     string `json:"kind"`     // "run", "checkpoint", "weights" or "episodes"
	Training bool   `json:"training"` // a process is or was training there, so that files came and went
	Files    []File `json:"files"`
	Plan     *Plan  `json:"plan,omitempty"` // of a run, unless it went on meanwhile
}

var reportHeader = format.Header{Format: 2, What: "tiro verification"}

// OK reports whether no file is bad.
func (r *Report) OK() bool {
	return !slices.ContainsFunc(r.Files, func(f File) bool { return f.Bad() })
}

// Verify checks every file at a path. The error is of what kept Verify from
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
	folder rundir.Folder // what the names of files are relative to
	report Report

	config      *rundir.Config // nil if it cannot be read
	game        env.Game       // of the run; nil if unknown
	metrics     metricsFile
	checkpoints map[int]*checkpoint // by generation
	games       map[int]*games      // of generations that are complete
	locked      bool                // by us

	mu          sync.Mutex
	done, total int64 // bytes
}

func newChecker(o Options) *checker {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	return &checker{Options: o, folder: rundir.At(o.Disk, o.Path), report: Report{Header: reportHeader, Path: o.Path}}
}

// verify checks what the path leads to.
func (c *checker) verify(ctx context.Context) error {
	place, err := rundir.ResolvePath(c.Disk, c.Path)
	if err != nil {
		return err
	}
	c.report.Kind = place.Kind
	switch place.Kind {
	case rundir.PlaceRun:
		return c.verifyRun(ctx)
	case rundir.PlaceCheckpoint:
		c.report.Path, c.folder = place.Path, rundir.At(c.Disk, place.Path)
		c.total = c.size(".")
		_, c.report.Files = c.checkCheckpoint(".", place.Generation)
	default:
		c.folder = rundir.At(c.Disk, filepath.Dir(place.Path))
		c.total = c.size(filepath.Base(place.Path))
		check := c.checkWeights
		if place.Kind == rundir.PlaceEpisodes {
			check = c.checkGames
		}
		c.report.Files = []File{check(ctx, filepath.Base(place.Path))}
	}
	c.advance(c.total)
	return context.Cause(ctx)
}

// path returns the path of a file that is named from the folder, with slashes.
func (c *checker) path(name string) string { return c.folder.Path(filepath.FromSlash(name)) }

func (c *checker) is(name string, kind func(fs.FileMode) bool) bool {
	info, err := c.Disk.Stat(c.path(name))
	return err == nil && kind(info.Mode())
}

func (c *checker) isFile(name string) bool { return c.is(name, fs.FileMode.IsRegular) }
func (c *checker) isDir(name string) bool  { return c.is(name, fs.FileMode.IsDir) }

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

// fault returns what err, met in reading a file, makes of it.
func (c *checker) fault(name string, err error) File {
	f := File{Path: name, Status: Damaged, Detail: c.detail(name, err), unreadable: rundir.Unreadable(err)}
	switch {
	case format.OtherVersion(err):
		f.Status = Unsupported
	case errors.Is(err, fs.ErrNotExist):
		f.Status = Missing
	}
	return f
}

// detail returns an error on one line, without the path, which stands in front
// of it.
func (c *checker) detail(name string, err error) string {
	text, file := err.Error(), c.path(name)
	if p, ok := errors.AsType[*fs.PathError](err); ok && p.Path == file {
		text = strings.Replace(text, p.Error(), p.Err.Error(), 1)
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, file+": "), "selfplay: read episodes: ")
	return strings.ReplaceAll(text, "\n", "; ")
}

// result returns what a check of a file found.
func (c *checker) result(name, detail string, err error) File {
	if err != nil {
		return c.fault(name, err)
	}
	return File{Path: name, Status: OK, Detail: detail}
}

// advance tells Progress of bytes that were checked.
func (c *checker) advance(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	if c.Progress != nil {
		c.Progress(min(c.done, c.total), c.total)
	}
}

// each calls check with every part, as many at a time as there are workers, and
// adds to the report what it returns, in order.
func (c *checker) each(ctx context.Context, parts []part, check func(part) []File) error {
	files := make([][]File, len(parts))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(max(1, c.Workers), len(parts)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(parts) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				files[i] = check(parts[i])
				c.advance(parts[i].bytes)
			}
		})
	}
	wait.Wait()
	c.report.Files = append(c.report.Files, slices.Concat(files...)...)
	return context.Cause(ctx)
}
