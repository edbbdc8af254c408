package disk

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Unfinished ends the name of a file or folder that is being written. Only one
// process writes to a folder, so that such a name from an earlier process is
// rubbish.
const Unfinished = ".unfinished"

// WriteFile replaces a file in a folder that this process has locked, or that no
// other process writes to. Whatever happens in between, path holds either what
// it held before or everything that write wrote: WriteFile writes to a file
// beside it, flushes and renames that, and flushes the folder. When it returns
// nil, the file outlasts a crash of the machine. When it returns an error, path is
// as it was, or either if only the folder could not be flushed.
func WriteFile(fsys FS, path string, write func(io.Writer) error) error {
	return writeBy(fsys, path, path+Unfinished, write)
}

// WriteShared is WriteFile for a folder that other processes write to as well: the file is
// wholly that of one of them. RemoveStale removes what a killed process leaves.
func WriteShared(fsys FS, path string, write func(io.Writer) error) error {
	return writeBy(fsys, path, path+"."+rand.Text()+Unfinished, write)
}

// RemoveStale removes the unfinished files of a folder that are older than staleAfter, which
// nobody writes any more.
func RemoveStale(fsys FS, dir string, now time.Time) error {
	return RemoveUnfinished(fsys, dir, func(finished string) bool {
		info, err := fsys.Stat(filepath.Join(dir, finished+Unfinished))
		return err == nil && now.Sub(info.ModTime()) > staleAfter
	})
}

// staleAfter is far longer than a file of a shared folder takes to be written.
const staleAfter = 10 * time.Minute

// writeBy replaces the file at path by way of a file beside it.
func writeBy(fsys FS, path, beside string, write func(io.Writer) error) error {
	err := WriteSynced(fsys, beside, write)
	if err == nil {
		err = fsys.Rename(beside, path)
	}
	if err != nil {
		return errors.Join(err, RemoveAll(fsys, beside))
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// WriteSynced makes a file, in the place of whatever a killed process has left
// there, and flushes it to the disk, but not its name. It is for the files of a
// folder that is flushed and renamed when it is complete.
func WriteSynced(fsys FS, path string, write func(io.Writer) error) (err error) {
	file, err := fsys.Create(path)
	if errors.Is(err, fs.ErrExist) {
		if err = RemoveAll(fsys, path); err == nil {
			file, err = fsys.Create(path)
		}
	}
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
// folder, as far as ours reports that they write such names there: the folder may
// be a link to one with other files. A folder that does not exist is no error.
func RemoveUnfinished(fsys FS, dir string, ours func(finished string) bool) error {
	entries, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if finished, ok := strings.CutSuffix(e.Name(), Unfinished); !ok || !ours(finished) {
			continue
		}
		if err := RemoveAll(fsys, filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// ReadFile reads a regular file. It refuses one longer than limit bytes.
func ReadFile(fsys FS, path string, limit int64) (data []byte, err error) {
	file, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: %d bytes; at most %d are read", path, info.Size(), limit)
	}
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
