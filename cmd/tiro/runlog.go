package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tiro/rundir"
)

// maxLog bounds the log of a run, in bytes. A log that would get longer is
// renamed, in the place of the one before, and a new one is begun.
const maxLog = 8 << 20

// runLog is the log in a run folder, which it does not create. The first Write
// opens it. The log is for people: a line that cannot be written is lost, and the
// run goes on, since nobody looks at the error.
type runLog struct {
	dir   string // the run folder
	limit int64  // bytes
	file  *os.File
	size  int64
}

// Write appends a line.
func (l *runLog) Write(line []byte) (int, error) {
	if err := l.ready(int64(len(line))); err != nil {
		return 0, err
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	if err != nil {
		l.close() // the next Write ends the part of a line
	}
	return n, err
}

// ready opens the log unless it is open, and makes room for so many bytes.
func (l *runLog) ready(bytes int64) error {
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	if l.size == 0 || l.size+bytes < l.limit {
		return nil
	}
	ours, err := l.file.Stat()
	if err != nil {
		return err
	}
	path := filepath.Join(l.dir, rundir.LogFile)
	if there, err := os.Stat(path); err != nil || !os.SameFile(ours, there) {
		return errors.Join(err, fmt.Errorf("%s is another file than it was", path))
	}
	l.close()
	if err := os.Rename(path, filepath.Join(l.dir, rundir.OldLogFile)); err != nil {
		return err
	}
	return l.open()
}

// open opens the log, and ends its last line if that was cut off.
func (l *runLog) open() error {
	file, err := os.OpenFile(filepath.Join(l.dir, rundir.LogFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.size = file, info.Size()
	end := make([]byte, 1)
	if _, err := file.ReadAt(end, max(0, l.size-1)); err == nil && end[0] != '\n' {
		n, _ := file.WriteString("\n")
		l.size += int64(n)
	}
	return nil
}

// close closes the log. The next Write opens it again.
func (l *runLog) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}
