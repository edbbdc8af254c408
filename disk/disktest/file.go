package disktest

import (
	"errors"
	"io"
	"io/fs"

	"tiro/disk"
)

// errUnopened is returned if a hook neither opens a file nor returns an error.
var errUnopened = errors.New("disktest: a Verdict that opens nothing needs an Err")

func (f *FS) Open(path string) (disk.File, error)   { return f.open(Open, path, f.inner.Open) }
func (f *FS) Create(path string) (disk.File, error) { return f.open(Create, path, f.inner.Create) }
func (f *FS) Append(path string) (disk.File, error) { return f.open(Append, path, f.inner.Append) }

func (f *FS) open(kind Kind, path string, open func(string) (disk.File, error)) (disk.File, error) {
	inner, err := get(f, kind, path, open)
	if err == nil && inner == nil {
		err = errUnopened
	}
	if err != nil {
		return nil, err
	}
	return &file{fs: f, path: path, inner: inner}, nil
}

func (f *FS) Lock(path string) (disk.Lock, error) {
	inner, err := get(f, Lock, path, f.inner.Lock)
	if err == nil && inner == nil {
		err = errUnopened
	}
	if err != nil {
		return nil, err
	}
	return &lock{f, path, inner}, nil
}

type lock struct {
	fs    *FS
	path  string
	inner disk.Lock
}

func (l *lock) Check() error {
	return l.fs.on(Stat, l.path, func(string) error { return l.inner.Check() })
}

func (l *lock) Close() error {
	return l.fs.on(Close, l.path, func(string) error { return l.inner.Close() })
}

// file is an open file, used by one goroutine at a time.
type file struct {
	fs     *FS
	path   string
	inner  disk.File
	closed bool
}

// do carries out an operation unless the file is closed.
func (f *file) do(kind Kind, size int, act func(half bool) error) error {
	if f.closed {
		return &fs.PathError{Op: string(kind), Path: f.path, Err: fs.ErrClosed}
	}
	return f.fs.do(Op{Kind: kind, Path: f.path, Size: size}, act)
}

func (f *file) Read(p []byte) (n int, err error) {
	err = f.do(Read, len(p), func(bool) (err error) {
		n, err = f.inner.Read(p)
		return err
	})
	if err == nil && n == 0 && len(p) > 0 {
		err = io.EOF
	}
	return n, err
}

func (f *file) Write(p []byte) (n int, err error) {
	n = len(p) // the disk may lie
	reached := false
	err = f.do(Write, len(p), func(half bool) (err error) {
		reached = true
		if !half {
			n, err = f.inner.Write(p)
		} else if n, err = f.inner.Write(p[:len(p)/2]); err == nil {
			err = io.ErrShortWrite
		}
		return err
	})
	if err != nil && !reached {
		n = 0
	}
	return n, err
}

// Sync flushes the file. A file in memory drops data that it fails to flush.
func (f *file) Sync() error {
	err := f.do(Sync, 0, func(bool) error { return f.inner.Sync() })
	if err != nil && !errors.Is(err, ErrCrashed) {
		f.giveUp()
	}
	return err
}

func (f *file) giveUp() {
	if inner, ok := f.inner.(interface{ giveUp() }); ok {
		f.fs.mu.Lock()
		defer f.fs.mu.Unlock()
		inner.giveUp()
	}
}

func (f *file) Stat() (info fs.FileInfo, err error) {
	err = f.do(Stat, 0, func(bool) (err error) {
		info, err = f.inner.Stat()
		return err
	})
	return info, err
}

// Close closes the file, whatever the hook decides.
func (f *file) Close() error {
	err := f.do(Close, 0, func(bool) error { return f.inner.Close() })
	f.closed = true
	return err
}
