package train

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
)

// VerifyOptions say what to verify.
type VerifyOptions struct {
	Path     string                  // a run folder, a checkpoint, a weights file or an episode file
	Find     env.Lookup              // makes a game from its game string, such as games.New
	Disk     disk.FS                 // nil: disk.OS{}
	Workers  int                     // files at a time; the report does not depend on it
	Progress func(done, total int64) // bytes read; may be nil; called by one goroutine at a time
}

// Status is what Verify says of a file.
type Status string

// What a file may be.
const (
	Whole    Status = "whole"
	Damaged  Status = "damaged"
	Missing  Status = "missing"
	Newer    Status = "newer"    // of a newer tiro, which this one cannot read
	Torn     Status = "torn"     // a stop has cut off its end, which the run makes again
	Leftover Status = "leftover" // what a stop has left unfinished; the run removes it
	Unknown  Status = "unknown"  // not of a run; left alone
)

// FileReport is what Verify says of one file, or of a folder as a whole.
type FileReport struct {
	Path   string `json:"path"` // from VerifyReport.Path, with slashes
	Status Status `json:"status"`
	Detail string `json:"detail"`          // what it holds; or what is wrong with it, and where
	Aside  string `json:"aside,omitempty"` // where Repair has moved it, or for a missing file, did so earlier

	generation int  // of a checkpoint or of games
	denied     bool // the machine refuses to read it: it may well be whole
	unseen     bool // missing, and not only gone while Verify looked
	given      bool // missing, and given up in an earlier Repair
}

// Bad reports whether something is lost with the file that was not given up
// before.
func (f *FileReport) Bad() bool {
	switch f.Status {
	case Damaged, Newer:
		return true
	case Missing:
		return !f.given
	}
	return false
}

// verifyHeader is the kind of JSON that a VerifyReport makes.
var verifyHeader = format.Header{Format: 1, What: "tiro verification"}

// VerifyReport is what Verify found.
type VerifyReport struct {
	format.Header
	Path     string       `json:"path"`
	Kind     string       `json:"kind"`     // "run", "checkpoint", "weights" or "episodes"
	Training bool         `json:"training"` // a process is or was training there, so that files came and went
	Files    []FileReport `json:"files"`
	Outlook  *Outlook     `json:"outlook,omitempty"` // of a run, unless it went on meanwhile
}

// Whole reports whether nothing is damaged or missing.
func (r *VerifyReport) Whole() bool {
	return !slices.ContainsFunc(r.Files, func(f FileReport) bool { return f.Bad() })
}

func (r *VerifyReport) add(path string, s Status, format string, args ...any) *FileReport {
	r.Files = append(r.Files, FileReport{Path: path, Status: s, Detail: fmt.Sprintf(format, args...)})
	return &r.Files[len(r.Files)-1]
}

// statusOf returns what a fault found in a file makes of it.
func statusOf(err error) Status {
	switch {
	case err == nil:
		return Whole
	case format.OtherVersion(err):
		return Newer
	case errors.Is(err, fs.ErrNotExist):
		return Missing
	}
	return Damaged
}

// fault adds to a report a file that cannot be read as what it should be.
func (v *verifier) fault(r *VerifyReport, name string, err error) *FileReport {
	f := r.add(name, statusOf(err), "%s", oneLine(trimmed(err, v.path(name))))
	f.denied = unreadable(err)
	return f
}

// oneLine joins the lines of joined errors.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Verify checks every file of a run: its checksums, what is in it, and whether
// the files fit together. Every game is played again by the rules. It writes
// nothing and needs no lock; the run may be under way. The error is of what
// kept Verify from looking, not of what it found.
//
// Memory is bounded by metrics.jsonl and, for each worker, a checkpoint and a
// game, whatever the files hold.
func Verify(ctx context.Context, o VerifyOptions) (VerifyReport, error) {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	v := &verifier{VerifyOptions: o, report: VerifyReport{Header: verifyHeader, Path: o.Path}}
	if err := v.verify(ctx); err != nil {
		return VerifyReport{}, fmt.Errorf("train: verify %s: %w", o.Path, err)
	}
	return v.report, nil
}

// verifier is a Verify under way.
type verifier struct {
	VerifyOptions
	report VerifyReport

	config *Config  // of the run; nil if it cannot be read
	game   env.Game // nil if unknown
	told   toldMetrics
	found  map[int]*foundCheckpoint // by generation
	games  map[int]*foundGames      // of generations that are complete, by generation
	begun  map[string]bool          // files of a generation under way that begin as they should
	aside  map[string]string        // where an earlier Repair has moved a file, by its path
	locked bool                     // by us

	mu          sync.Mutex
	done, total int64 // bytes
}

// verify looks at what there is at the path.
func (v *verifier) verify(ctx context.Context) error {
	info, err := v.Disk.Stat(v.Path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return v.verifyFile(ctx, info)
	}
	if v.isFile(filepath.Join(v.Path, "info.json")) {
		v.report.Kind = "checkpoint"
		return v.verifyCheckpoint(ctx)
	}
	v.report.Kind = "run"
	return v.verifyRun(ctx)
}

// path returns the operating system's path of a file of the run.
func (v *verifier) path(name string) string { return filepath.Join(v.Path, filepath.FromSlash(name)) }

func (v *verifier) isFile(path string) bool {
	info, err := v.Disk.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// size returns the bytes of a file, 0 if there is none.
func (v *verifier) size(path string) int64 {
	if info, err := v.Disk.Stat(path); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

// advance tells of bytes that were read.
func (v *verifier) advance(n int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.done += n
	if v.Progress != nil {
		v.Progress(min(v.done, v.total), v.total)
	}
}

// parallel calls do with 0 to n-1, so many at a time as there are workers.
func (v *verifier) parallel(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(max(1, v.Workers), n) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
