package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// logFile is the log of a run, in its folder.
const logFile = "log.jsonl"

// maxLog is how long the log of a run gets, in bytes, before it is begun
// afresh. The one before is kept beside it, so that there are at most twice as
// many.
const maxLog = 8 << 20

// runLog is the log of a run, a line each Write. It is opened by the first of
// them. The log is for people: a line that cannot be written is lost, and the
// run, which does not look at what Write returns, goes on.
type runLog struct {
	path  string
	limit int64 // bytes; the log is begun afresh before it gets longer
	file  *os.File
	size  int64
	torn  bool // its last line has no end
}

// Write appends a line.
func (l *runLog) Write(line []byte) (int, error) {
	if err := l.ready(int64(len(line))); err != nil {
		return 0, err
	}
	text := line
	if l.torn {
		text = append([]byte("\n"), line...)
	}
	n, err := l.file.Write(text)
	l.size += int64(n)
	l.torn = n > 0 && text[n-1] != '\n' || n == 0 && l.torn
	if err != nil {
		return 0, err
	}
	return len(line), nil
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
	if there, err := os.Stat(l.path); err != nil || !os.SameFile(ours, there) {
		return errors.Join(err, fmt.Errorf("%s is another file than it was", l.path))
	}
	l.close()
	if err := os.Rename(l.path, l.older()); err != nil {
		return err
	}
	return l.open()
}

// older returns the path of the log before, log.old.jsonl.
func (l *runLog) older() string {
	kind := filepath.Ext(l.path)
	return strings.TrimSuffix(l.path, kind) + ".old" + kind
}

func (l *runLog) open() error {
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.size = file, info.Size()
	end := make([]byte, 1)
	if l.size > 0 {
		_, err = file.ReadAt(end, l.size-1)
	}
	l.torn = err == nil && l.size > 0 && end[0] != '\n'
	return nil
}

// close closes the log, which the next Write opens again.
func (l *runLog) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}
