package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
)

// lockName is the name of the file that locks a folder.
const lockName = "lock"

// LockFolder makes a folder if need be and locks it against other processes that do
// the same, by a file in it that is called lock. Then it removes what a killed process has
// left there of the files of these names, which may be patterns. unlock removes the lock,
// which is no obstacle where a killed process has left it.
func LockFolder(fsys FS, dir string, files ...string) (unlock func() error, err error) {
	if err := MkdirAll(fsys, dir); err != nil {
		return nil, err
	}
	unlock, err = lockBy(fsys, filepath.Join(dir, lockName), dir, "folder")
	if err != nil {
		return nil, err
	}
	if err := RemoveLeft(fsys, dir, files...); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

// LockFile locks a file or folder, which need not exist, against other processes that do the
// same, by a file beside it whose name ends in .lock, as LockFolder does. Then it removes what a
// killed process has left of it.
func LockFile(fsys FS, path string) (unlock func() error, err error) {
	unlock, err = lockBy(fsys, path+".lock", path, "file")
	if err != nil {
		return nil, err
	}
	if err := RemoveAll(fsys, path+Unfinished); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

// lockBy locks what, a folder or file, by the file at path.
func lockBy(fsys FS, path, what, kind string) (unlock func() error, err error) {
	lock, err := fsys.Lock(path)
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("%s is %w; wait until it has finished, or name another %s", what, err, kind)
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

// RemoveLeft removes what killed processes have left unfinished in a folder of the files of
// these names, which may be patterns.
func RemoveLeft(fsys FS, dir string, names ...string) error {
	return RemoveUnfinished(fsys, dir, func(finished string) bool {
		return slices.ContainsFunc(names, func(pattern string) bool {
			ours, _ := filepath.Match(pattern, finished)
			return ours
		})
	})
}

// Subfolder makes a folder in another one, which is ours, unless it is there already. A link in
// its place is refused, for what is ours is not written through a link to elsewhere.
func Subfolder(fsys FS, dir, name string) (path string, err error) {
	path = filepath.Join(dir, name)
	err = fsys.Mkdir(path)
	if errors.Is(err, fs.ErrExist) {
		entries, err := fsys.ReadDir(dir)
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.IsDir() }) {
			return "", fmt.Errorf("%s: %w", path, ErrNotFolder)
		}
	} else if err != nil {
		return "", err
	}
	return path, fsys.SyncDir(dir)
}

// ErrNotFolder is wrapped by errors about something else, a link too, where a folder of ours is
// to be.
var ErrNotFolder = errors.New("not a folder, but a file or a link; remove it")
