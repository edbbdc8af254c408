package models

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// unfinished ends the name of what is being written. Only one process writes
// to a folder, so that a name found from an earlier one is rubbish.
const unfinished = ".unfinished"

// WriteFile writes a file so that path holds either what it held before or
// everything that write wrote, whatever happens in between: to a file beside
// it, flushed to the disk, renamed, and the folder flushed. One process at a
// time may write to a path.
func WriteFile(path string, write func(io.Writer) error) error {
	beside := path + unfinished
	if err := writeSynced(beside, write); err != nil {
		return errors.Join(err, removeIfThere(beside))
	}
	if err := os.Rename(beside, path); err != nil {
		return errors.Join(err, removeIfThere(beside))
	}
	return syncFolder(filepath.Dir(path))
}

// writeSynced writes a file and flushes it to the disk.
func writeSynced(path string, write func(io.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	buffer := bufio.NewWriterSize(file, 1<<16)
	if err := write(buffer); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	return file.Sync()
}

// syncFolder makes the names in a folder last. Windows has no such call and
// does it by itself.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
