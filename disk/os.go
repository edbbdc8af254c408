package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"
)

// OS is the file system of the machine.
type OS struct{}

var _ FS = OS{}

func (OS) Open(path string) (File, error)             { return file(os.Open(path)) }
func (OS) Create(path string) (File, error)           { return file(os.Create(path)) }
func (OS) Rename(from, to string) error               { return os.Rename(from, to) }
func (OS) Remove(path string) error                   { return os.Remove(path) }
func (OS) Mkdir(path string) error                    { return os.Mkdir(path, 0o777) }
func (OS) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (OS) Stat(path string) (fs.FileInfo, error)      { return os.Stat(path) }

func (OS) Append(path string) (File, error) {
	return file(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666))
}

// file keeps a nil *os.File from becoming a File that is not nil.
func file(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// SyncDir does nothing on Windows, which has no such call and flushes names by
// itself, and on those network and virtual file systems that refuse it, for
// which there is no other way.
func (OS) SyncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}

// Lock makes up to maxAttempts attempts: another process may hold the lock for
// an instant, only to ask whether it is free, or may just have removed the file.
const (
	maxAttempts = 10
	pause       = 10 * time.Millisecond
)

func (OS) Lock(path string) (Lock, error) {
	for attempt := 1; ; attempt++ {
		l, err := lock(path)
		if err == nil {
			return l, nil
		}
		if attempt == maxAttempts || !errors.Is(err, ErrLocked) && !errors.Is(err, ErrLost) {
			return nil, err
		}
		time.Sleep(pause)
	}
}

// lock tries once to lock a file.
func lock(path string) (*osLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	l := &osLock{path, f}
	free, err := tryLock(f)
	switch {
	case err != nil:
		err = &fs.PathError{Op: "lock", Path: path, Err: err}
	case !free:
		err = ErrLocked
	default:
		err = l.Check()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

type osLock struct {
	path string
	file *os.File
}

func (l *osLock) Close() error { return l.file.Close() }

func (l *osLock) Check() error {
	ours, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(l.path)
	if err == nil && !os.SameFile(ours, there) {
		err = errors.New("another file is there now")
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", l.path, ErrLost, err)
	}
	return nil
}
