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

func (OS) Rename(from, to string) error               { return os.Rename(from, to) }
func (OS) Remove(path string) error                   { return os.Remove(path) }
func (OS) Mkdir(path string) error                    { return os.Mkdir(path, 0o777) }
func (OS) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (OS) Stat(path string) (fs.FileInfo, error)      { return os.Stat(path) }

func (OS) Open(path string) (File, error) { return file(open(path, os.O_RDONLY)) }

func (OS) Create(path string) (File, error) {
	return file(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666))
}

func (OS) Append(path string) (File, error) {
	return file(open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|noFollow))
}

// open opens a regular file. It checks the type of the opened file, because the file at path may
// be replaced at any time, and does not wait for the other end of a pipe.
func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|noWait, 0o666)
	if err != nil {
		return nil, refusal(path, flags, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notFile(path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// refusal returns the error of open: ErrNotFile if path is not a regular file, and otherwise err,
// the system's own error.
func refusal(path string, flags int, err error) error {
	stat := os.Stat
	if flags&noFollow != 0 {
		stat = os.Lstat
	}
	if info, statErr := stat(path); statErr == nil && !info.Mode().IsRegular() {
		return notFile(path)
	}
	return err
}

func notFile(path string) error { return fmt.Errorf("%s: %w", path, ErrNotFile) }

// file converts a nil *os.File to a nil File.
func file(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// SyncDir does nothing on Windows, which has no such call and flushes names by itself. It ignores
// the error of network and virtual file systems that do not support the call, because nothing
// else can be done there.
func (OS) SyncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}

// A lock is tried up to maxAttempts times. Another process may hold it for a moment to check
// whether it is free, or may just have removed the file.
const (
	maxAttempts = 10
	pause       = 10 * time.Millisecond
)

func (OS) Lock(path string) (Lock, error) { return lockPatiently(path, tryLock) }

func lockPatiently(path string, try func(*os.File) (bool, error)) (Lock, error) {
	for attempt := 1; ; attempt++ {
		l, err := lock(path, try)
		if err == nil {
			return l, nil
		}
		if attempt == maxAttempts || !errors.Is(err, ErrLocked) && !errors.Is(err, ErrLost) {
			return nil, err
		}
		time.Sleep(pause)
	}
}

// lock tries once to lock a file. If the file system has no locks, a file beside it identifies
// the holder.
func lock(path string, try func(*os.File) (bool, error)) (*osLock, error) {
	f, err := open(path, os.O_RDWR|os.O_CREATE|noFollow)
	if err != nil {
		return nil, err
	}
	l := &osLock{path: path, file: f}
	free, err := try(f)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) { // such as Lustre without the option flock or NFS without its lock daemon
		l.held, err = hold(path + heldSuffix)
		free = err == nil
	}
	switch {
	case errors.Is(err, ErrLocked), errors.Is(err, ErrLost):
	case err != nil:
		err = &fs.PathError{Op: "lock", Path: path, Err: err}
	case !free:
		err = ErrLocked
	default:
		err = l.Check()
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

type osLock struct {
	path string
	file *os.File
	held string // the file that identifies the holder; empty if the file system has locks
}

func (l *osLock) Close() error {
	if l.held == "" || holds(l.held) != nil { // or another process's file is there
		return l.file.Close()
	}
	return errors.Join(l.file.Close(), os.Remove(l.held))
}

func (l *osLock) Weak() bool { return l.held != "" }

func (l *osLock) Check() error {
	ours, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(l.path)
	if err == nil && !os.SameFile(ours, there) {
		err = errors.New("another file is at this path")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err // the state of the lock file is unknown
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", l.path, ErrLost, err)
	}
	if l.held != "" {
		return holds(l.held)
	}
	return nil
}
