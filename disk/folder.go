package disk

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
)

// LockFolder makes a folder if need be and locks it against other processes that do
// the same, by a file in it that is called lock. unlock removes the file, which is no
// obstacle where a killed process has left it.
func LockFolder(fsys FS, dir string) (unlock func() error, err error) {
	if err := MkdirAll(fsys, dir); err != nil {
		return nil, err
	}
	return lockBy(fsys, filepath.Join(dir, "lock"), dir, "folder")
}

// LockFile locks a file, which need not exist, against other processes that do the same,
// by a file beside it whose name ends in .lock, as LockFolder does.
func LockFile(fsys FS, path string) (unlock func() error, err error) {
	return lockBy(fsys, path+".lock", path, "file")
}

// lockBy locks what, a folder or file, by the file at path.
func lockBy(fsys FS, path, what, kind string) (unlock func() error, err error) {
	lock, err := fsys.Lock(path)
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("%s is %w; wait until it has finished, or name another %s", what, ErrLocked, kind)
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		// Removed while it is locked, it cannot be that of the next process, for which
		// Lock makes another. Windows removes no open file.
		err := lock.Check()
		if err == nil && runtime.GOOS != "windows" {
			err = fsys.Remove(path)
		}
		return errors.Join(err, lock.Close())
	}, nil
}
