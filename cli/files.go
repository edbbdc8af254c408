package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tiro/disk"
	"tiro/format"
	"tiro/rundir"
)

// target is an output file that the user named. It is opened before the work begins, so that
// an unwritable file is reported early. A nil target discards the output.
type target struct {
	ctx  context.Context
	path string

	// One of them is nil. A regular file is replaced atomically; a device, a pipe or the
	// standard output is written directly.
	replacement *disk.Replacement
	stream      *os.File
}

// openTarget opens the target at path, nil if path is "". If path is a pipe, it waits for a
// reader until ctx is cancelled. A file that belongs to a run is refused. The caller must close
// the target.
func openTarget(ctx context.Context, path string) (*target, error) {
	if path == "" {
		return nil, nil
	}
	if path == "-" {
		return nil, usage(errors.New("write -: not a file; use /dev/stdout for standard output, ./- for a file of that name"))
	}
	t := &target{ctx: ctx, path: path}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		err = errors.New("is a folder, not a file")
	case err == nil && isStandard(info) != nil:
		t.stream = isStandard(info)
	case err == nil && !info.Mode().IsRegular():
		err = await(ctx, func() (err error) {
			t.stream, err = os.OpenFile(path, os.O_WRONLY, 0)
			return err
		})
	case err == nil && ofRun(path):
		err = errors.New("is a file of a run; choose another name")
	default:
		t.replacement, err = disk.Replace(path)
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return t, nil
}

// ofRun reports whether a run needs the file at path, such as its config.yaml or the weights of a
// checkpoint.
func ofRun(path string) bool {
	for path, _ = filepath.Abs(path); path != filepath.Dir(path); path = filepath.Dir(path) {
		place, err := rundir.Resolve(disk.OS{}, filepath.Dir(path))
		if kind, _ := rundir.Identify(filepath.Base(path)); kind == rundir.Top && err == nil && place.Kind == rundir.PlaceRun {
			return true
		}
	}
	return false
}

// isStandard returns os.Stdout or os.Stderr if info describes it, otherwise nil. Users may
// name them as /dev/stdout, and they must not be replaced.
func isStandard(info os.FileInfo) *os.File {
	for _, file := range []*os.File{os.Stdout, os.Stderr} {
		if own, err := file.Stat(); err == nil && os.SameFile(own, info) {
			return file
		}
	}
	return nil
}

// save writes the result, once.
func (t *target) save(write func(io.Writer) error) (err error) {
	switch {
	case t == nil:
	case t.replacement != nil:
		err = t.replacement.Commit(write)
	case t.ctx.Err() != nil: // after an interrupt; a second one ends the process
		err = t.writeStream(write)
	default:
		err = await(t.ctx, func() error { return t.writeStream(write) })
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", t.path, err)
	}
	return nil
}

// writeStream writes the result to the stream.
func (t *target) writeStream(write func(io.Writer) error) error {
	buffer := bufio.NewWriter(t.stream)
	return cmp.Or(write(buffer), buffer.Flush()) // a failed write also fails the flush
}

// saveJSON writes v as JSON.
func (t *target) saveJSON(v any) error {
	return t.save(func(w io.Writer) error { return format.EncodeJSON(w, v) })
}

// close closes the target. Unless it was saved, it leaves no file behind.
func (t *target) close() {
	switch {
	case t == nil:
	case t.replacement != nil:
		_ = t.replacement.Close() // an error only leaves a temporary file behind
	case t.stream != os.Stdout && t.stream != os.Stderr:
		_ = t.stream.Close() // the data has already been written
	}
}

// readFile reads a file that the user named, of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	path, err := disk.Path(path)
	if err != nil {
		return nil, err
	}
	return disk.ReadFile(disk.OS{}, path, limit)
}

// await runs work and returns its error, or the cause of ctx if ctx is cancelled first. It
// then leaves work behind, because a goroutine that waits for the other end of a pipe cannot
// be stopped. The process ends soon afterwards.
func await(ctx context.Context, work func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
