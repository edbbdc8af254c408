package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// Unfinished ends the name of a file or folder that is being written. Only one
// process writes to a folder, so that such a name from an earlier process is
// rubbish.
const Unfinished = ".unfinished"

// WriteFile replaces a file. Whatever happens in between, path holds either what
// it held before or everything that write wrote: WriteFile writes to a file
// beside it, flushes and renames that, and flushes the folder. When it returns
// nil, the file outlasts a crash of the machine. When it returns an error, path is
// as it was, or either if only the folder could not be flushed. One process at a
// time may write to a path.
func WriteFile(fsys FS, path string, write func(io.Writer) error) error {
	beside := path + Unfinished
	err := WriteSynced(fsys, beside, write)
	if err == nil {
		err = fsys.Rename(beside, path)
	}
	if err != nil {
		return errors.Join(err, RemoveAll(fsys, beside))
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// WriteSynced writes a file and flushes it to the disk, but not its name. It is
// for the files of a folder that is flushed and renamed when it is complete.
func WriteSynced(fsys FS, path string, write func(io.Writer) error) (err error) {
	file, err := fsys.Create(path)
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

// Bytes returns a function for WriteFile that writes data.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// RemoveUnfinished removes what killed processes have left unfinished in a
// folder. A folder that does not exist is no error.
func RemoveUnfinished(fsys FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), Unfinished) {
			continue
		}
		if err := RemoveAll(fsys, filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// ReadFile reads a file. It refuses one longer than limit bytes, and anything
// else than a file: a folder, a device, a pipe that may never end.
func ReadFile(fsys FS, path string, limit int64) (data []byte, err error) {
	info, err := fsys.Stat(path) // and not after Open, which waits for the other end of a pipe
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a file", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: %d bytes; at most %d are read", path, info.Size(), limit)
	}
	file, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data = make([]byte, info.Size())
	_, err = io.ReadFull(file, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%s: %w after fewer than %d bytes", path, err, info.Size())
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
