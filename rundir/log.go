package rundir

import (
	"errors"
	"os"

	"tiro/disk"
)

// Log appends lines to the log in a run folder. The first Write opens the folder, which must
// have a configuration, since another folder would no longer be empty; if it is moved later, the
// log moves with it. A line that cannot be written is lost, and the run continues.
//
// When a log reaches its limit, it replaces the old log and a new one begins. A log that is
// already longer, because the limit was larger, is removed.
type Log struct {
	Dir   string // the run folder
	Limit int64  // maximum size in bytes of this log, and of the old one

	folder *os.Root
}

// Write appends a line. If the last line is incomplete, Write ends it first. It returns an error
// if anything but a regular file, such as a link, has the log's name.
func (l *Log) Write(line []byte) (n int, err error) {
	if l.folder == nil {
		folder, err := os.OpenRoot(l.Dir)
		if err != nil {
			return 0, err
		}
		if _, err := folder.Lstat(ConfigFile); err != nil {
			return 0, errors.Join(err, folder.Close())
		}
		l.folder = folder
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

func (l *Log) Close() {
	if l.folder != nil {
		l.folder.Close()
	}
}
