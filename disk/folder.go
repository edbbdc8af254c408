package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
)

// lockName is the name of a folder's lock file.
const lockName = "lock"

// LockFolder makes a folder if necessary and locks it with the file "lock" in it, so that
// LockFolder fails in other processes. It then removes unfinished versions of files, which may be
// patterns, that a killed process has left in the folder. unlock removes the lock file. A lock
// file left by a killed process does no harm.
func LockFolder(fsys FS, dir string, files ...string) (unlock func() error, err error) {
	if err := MkdirAll(fsys, dir); err != nil {
		return nil, err
	}
	return lockBy(fsys, filepath.Join(dir, lockName), dir, "folder", func() error { return RemoveLeft(fsys, dir, files...) })
}

// LockFile locks a file or folder, which need not exist, as LockFolder does, with a lock file
// beside it whose name ends in .lock. It then removes an unfinished version that a killed process
// has left.
func LockFile(fsys FS, path string) (unlock func() error, err error) {
	return lockBy(fsys, path+".lock", path, "file", func() error { return RemoveAll(fsys, path+Unfinished) })
}

// lockBy locks what, a folder or a file, with the lock file at path, and then calls clean.
func lockBy(fsys FS, path, what, kind string, clean func() error) (unlock func() error, err error) {
	lock, err := fsys.Lock(path)
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("%s is %w: wait for that process or choose another %s", what, err, kind)
	}
	if err != nil {
		return nil, err
	}
	unlock = func() error {
		// The lock file is removed while it is locked, so that it cannot belong to the next
		// process, for which Lock makes another one. Windows cannot remove an open file.
		err := lock.Check()
		if err == nil && runtime.GOOS != "windows" {
			err = fsys.Remove(path)
		}
		return errors.Join(err, lock.Close())
	}
	if err := clean(); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

// RemoveLeft removes unfinished versions, left by killed processes, of the files in dir with the
// given names, which may be patterns.
func RemoveLeft(fsys FS, dir string, names ...string) error {
	return RemoveUnfinished(fsys, dir, func(finished string) bool {
		return slices.ContainsFunc(names, func(pattern string) bool {
			ours, _ := filepath.Match(pattern, finished)
			return ours
		})
	})
}

// Subfolder makes the folder name in dir, which belongs to this program, unless it exists. It
// refuses a link of this name, so that nothing is written outside dir.
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

// ErrNotFolder is wrapped by errors about a file or link in place of a folder.
var ErrNotFolder = errors.New("a file or a link, not a folder: remove it")
