package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Move renames a file or folder to a path that must not exist. If the new path is on another file
// system, or the folder belongs to a container's image and its overlay file system refuses to
// rename it, Move copies the files and removes the originals once the copy is durable.
func Move(fsys FS, from, to string) error {
	err := fsys.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	copied := to + Unfinished
	err = RemoveAll(fsys, copied)
	if err == nil {
		err = copyAll(fsys, from, copied)
	}
	if err == nil {
		err = fsys.Rename(copied, to)
	}
	if err != nil {
		return errors.Join(err, RemoveAll(fsys, copied))
	}
	if err := fsys.SyncDir(filepath.Dir(to)); err != nil {
		return err
	}
	return RemoveAll(fsys, from)
}

// copyAll copies a file or folder and flushes everything except the copy's own name. It refuses a
// folder with links.
func copyAll(fsys FS, from, to string) error {
	info, err := fsys.Stat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return copyFile(fsys, from, to)
	}
	entries, err := fsys.ReadDir(from)
	if err == nil {
		err = fsys.Mkdir(to)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(from, e.Name())
		if e.Type() == fs.ModeSymlink {
			return fmt.Errorf("%s: cannot copy a link to another file system: %w", path, ErrNotFile)
		}
		if err := copyAll(fsys, path, filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return fsys.SyncDir(to)
}

func copyFile(fsys FS, from, to string) (err error) {
	file, err := fsys.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return WriteSynced(fsys, to, func(w io.Writer) error {
		_, err := io.Copy(w, file)
		return err
	})
}
