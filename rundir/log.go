package rundir

import (
	"errors"
	"os"

	"tiro/disk"
)

// Log appends lines to the log in a run folder, which it does not create. The first Write
// opens the folder, and a moved one keeps its log. The log is for people: a line that cannot
// be written is lost, and the run continues.
//
// A log that would exceed its limit replaces the old one, and a new one begins. A log that is
// longer already, because the limit was larger, is removed.
type Log struct {
	Dir   string // the run folder
	Limit int64  // bytes, of this log and of the old one

	folder *os.Root
}

// Write appends a line, after ending a last line that was cut off. It leaves anything but
// a regular file of the log's name alone, links too.
func (l *Log) Write(line []byte) (n int, err error) {
	if l.folder == nil {
		if l.folder, err = os.OpenRoot(l.Dir); err != nil {
			return 0, err
		}
	}
	if info, err := l.folder.Lstat(LogFile); err == nil && !info.Mode().IsRegular() {
		return 0, disk.ErrNotFile
	}
	file, err := l.folder.OpenFile(LogFile, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	size, end := info.Size(), make([]byte, 1)
	if size > 0 && size+int64(len(line)) >= l.Limit {
		end := func() error { return l.folder.Rename(LogFile, OldLogFile) }
		if size > l.Limit {
			end = func() error { return l.folder.Remove(LogFile) }
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

// Close closes the folder.
func (l *Log) Close() {
	if l.folder != nil {
		l.folder.Close()
	}
}
