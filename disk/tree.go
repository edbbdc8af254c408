package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// MkdirAll makes a folder and its missing parents, which last when it returns.
// A folder that exists already is no error.
func MkdirAll(fsys FS, path string) error {
	path = filepath.Clean(path)
	parent := filepath.Dir(path)
	info, err := fsys.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	case err == nil:
		// The process that made the folder may have been killed before it could
		// flush the parent. A parent that we may not read is not of our making.
		if err := fsys.SyncDir(parent); !errors.Is(err, fs.ErrPermission) {
			return err
		}
		return nil
	case !errors.Is(err, fs.ErrNotExist) || parent == path:
		return err
	}
	if err := MkdirAll(fsys, parent); err != nil {
		return err
	}
	if err := fsys.Mkdir(path); err != nil {
		info, statErr := fsys.Stat(path)
		if !errors.Is(err, fs.ErrExist) || statErr != nil || !info.IsDir() {
			return err
		} // else another process made it meanwhile
	}
	return fsys.SyncDir(parent)
}

// RemoveAll removes a file or a folder with everything in it, but nothing that
// a link leads to. A path where there is nothing is no error.
func RemoveAll(fsys FS, path string) error {
	err := fsys.Remove(path)
	if errors.Is(err, fs.ErrExist) { // a folder that is not empty
		entries, err := fsys.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := RemoveAll(fsys, filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
		return fsys.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
