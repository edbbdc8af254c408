package cli

import (
	"errors"
	"os"

	"tiro/disk"
	"tiro/rundir"
)

// runLog is the log in a run folder, which it does not create. The first Write
// opens the folder, and a moved one keeps its log. The log is for people: a line
// that cannot be written is lost, and the run goes on, since nobody looks at the
// error.
//
// A log that would get longer than its limit is renamed, in the place of the one
// before, and a new one is begun. What is longer, since the limit was larger, goes.
type runLog struct {
	dir    string // the run folder
	limit  int64  // bytes, of this log and of the one before
	folder *os.Root
}

// Write appends a line. If the last line was cut off, Write ends it before. Where
// something else than a regular file has the log's name, even a link, Write leaves
// it alone.
func (l *runLog) Write(line []byte) (n int, err error) {
	if l.folder == nil {
		if l.folder, err = os.OpenRoot(l.dir); err != nil {
			return 0, err
		}
	}
	if info, err := l.folder.Lstat(rundir.LogFile); err == nil && !info.Mode().IsRegular() {
		return 0, disk.ErrNotFile
	}
	file, err := l.folder.OpenFile(rundir.LogFile, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	size, end := info.Size(), make([]byte, 1)
	if size > 0 && size+int64(len(line)) >= l.limit {
		end := func() error { return l.folder.Rename(rundir.LogFile, rundir.OldLogFile) }
		if size > l.limit {
			end = func() error { return l.folder.Remove(rundir.LogFile) }
		}
		if err := errors.Join(file.Close(), end()); err != nil {
			return 0, err
		}
		return l.Write(line)
	}
	if _, err := file.ReadAt(end, max(0, size-1)); err == nil && end[0] != '\n' {
		_, _ = file.WriteString("\n")
	}
	return file.Write(line)
}

// close closes the folder.
func (l *runLog) close() {
	if l.folder != nil {
		l.folder.Close()
	}
}
