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

// Open implements FS.
func (OS) Open(path string) (File, error) { return file(os.Open(path)) }

// Create implements FS.
func (OS) Create(path string) (File, error) { return file(os.Create(path)) }

// Append implements FS.
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

// Rename implements FS.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements FS.
func (OS) Remove(path string) error { return os.Remove(path) }

// Mkdir implements FS.
func (OS) Mkdir(path string) error { return os.Mkdir(path, 0o777) }

// ReadDir implements FS.
func (OS) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Stat implements FS.
func (OS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// SyncDir implements FS. Windows has no such call and does it by itself; so it
// is with some file systems of networks and virtual machines, and none of them
// could be asked in another way.
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

// A lock that is held is tried for again so often: somebody may have taken it only
// to ask whether it is free, or have removed the file as it was being locked.
const (
	maxAttempts = 10
	pause       = 10 * time.Millisecond
)

// Lock implements FS.
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
