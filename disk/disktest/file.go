package disktest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"syscall"

	"tiro/disk"
)

// errUnopened is for a hook that lies about the opening of a file.
var errUnopened = errors.New("disktest: a file that was not opened needs an error")

// file is an open file. Its operations belong to one goroutine.
type file struct {
	fs     *FS
	path   string
	node   *node
	reads  bool // or it writes, at the end
	at     int  // of the next byte to read
	closed bool
}

// unless returns the file if it could be opened.
func (f *file) unless(err error) (disk.File, error) {
	if err == nil && f.node == nil {
		err = errUnopened
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// do does an operation on the file unless it is closed.
func (f *file) do(kind Kind, size int, act func(half bool) error) error {
	if f.closed {
		return &fs.PathError{Op: string(kind), Path: f.path, Err: fs.ErrClosed}
	}
	return f.fs.do(kind, f.path, size, act)
}

// Read reads on.
func (f *file) Read(p []byte) (n int, err error) {
	err = f.do(Read, len(p), func(bool) error {
		switch {
		case !f.reads:
			return syscall.EBADF
		case f.node.folder():
			return syscall.EISDIR
		}
		n = copy(p, f.node.data[min(f.at, len(f.node.data)):])
		f.at += n
		return nil
	})
	if err == nil && n == 0 && len(p) > 0 {
		err = io.EOF
	}
	return n, err
}

// Write writes at the end of the file.
func (f *file) Write(p []byte) (n int, err error) {
	done := false
	err = f.do(Write, len(p), func(half bool) error {
		if f.reads {
			return syscall.EBADF
		}
		if n = len(p); half {
			n /= 2
		}
		f.node.extend(p[:n])
		done = !half
		return nil
	})
	switch {
	case err != nil:
		return n, err
	case n > 0 && !done:
		return n, io.ErrShortWrite
	}
	return len(p), nil // also where the disk lies
}

// Sync makes the file's bytes last. Those that it fails to flush are given up:
// another Sync does not bring them back.
func (f *file) Sync() error {
	err := f.do(Sync, 0, func(bool) error { f.node.sync(); return nil })
	if err != nil && !errors.Is(err, ErrCrashed) {
		f.fs.mu.Lock()
		defer f.fs.mu.Unlock()
		f.node.giveUp()
	}
	return err
}

// Stat describes the file.
func (f *file) Stat() (info fs.FileInfo, err error) {
	err = f.do(Stat, 0, func(bool) error { info = f.node.info(filepath.Base(f.path)); return nil })
	return info, err
}

// Close closes the file, even where it fails.
func (f *file) Close() error {
	err := f.do(Close, 0, func(bool) error { return nil })
	f.closed = true
	return err
}

// lock is a locked file.
type lock struct{ file }

// Lock locks a file, which it makes if need be, for this process.
func (f *FS) Lock(path string) (disk.Lock, error) {
	l := &lock{file{fs: f, path: path}}
	err := f.do(Lock, path, 0, func(bool) error {
		n, err := f.file(path)
		switch {
		case err != nil:
			return err
		case f.locked[n]:
			return disk.ErrLocked
		}
		f.locked[n], l.node = true, n
		return nil
	})
	if _, err := l.unless(err); err != nil {
		return nil, err
	}
	return l, nil
}

// Check returns an error unless the file at the path is the one that is locked.
func (l *lock) Check() error {
	return l.do(Stat, 0, func(bool) error {
		n, err := l.fs.find(l.path)
		if err == nil && n != l.node {
			err = fs.ErrExist
		}
		if err != nil {
			return fmt.Errorf("%w: %w", disk.ErrLost, err)
		}
		return nil
	})
}

// Close gives the lock back.
func (l *lock) Close() error {
	err := l.do(Close, 0, func(bool) error { return nil })
	l.fs.unlock(l.node)
	l.closed = true
	return err
}

func (f *FS) unlock(n *node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.locked, n)
}
