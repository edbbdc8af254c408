package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// RemoveAll implements FS.
func (OS) RemoveAll(path string) error { return os.RemoveAll(path) }

// ReadDir implements FS.
func (OS) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Stat implements FS.
func (OS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// MkdirAll implements FS.
func (o OS) MkdirAll(path string) error {
	path = filepath.Clean(path)
	parent := filepath.Dir(path)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	case err == nil:
		// It may be there because a process made it that was killed before it
		// could flush. A parent that we may not read is not of our making.
		if err := o.SyncDir(parent); !errors.Is(err, fs.ErrPermission) {
			return err
		}
		return nil
	case !errors.Is(err, fs.ErrNotExist) || parent == path:
		return err
	}
	if err := o.MkdirAll(parent); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		if info, still := os.Stat(path); still != nil || !info.IsDir() {
			return err // and not because another made it meanwhile
		}
	}
	return o.SyncDir(parent)
}

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
		err = l.Held()
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

func (l *osLock) Held() error {
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
