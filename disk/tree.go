package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// MkdirAll makes a folder and its missing parents, durably. An existing folder is not an error.
func MkdirAll(fsys FS, path string) error {
	path = filepath.Clean(path)
	parent := filepath.Dir(path)
	info, err := fsys.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	case err == nil:
		// The process that made the folder may have been killed before it flushed the parent. A
		// parent that is not readable was not made by this program.
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
		} // else another process made it in the meantime
	}
	return fsys.SyncDir(parent)
}

// RemoveAll removes a file, or a folder with everything in it. It removes links but not their
// targets. A missing path is not an error.
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
