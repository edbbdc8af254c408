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

// Unfinished ends the name of a file or folder that is being written. Since only one process
// writes to a folder, such a name left by an earlier process can be removed.
const Unfinished = ".unfinished"

// WriteFile replaces a file in a folder that this process has locked or that no other process
// writes to. It writes to a file beside path, flushes it, renames it and flushes the folder, so
// that path always holds either its complete old content or everything that write wrote. If
// WriteFile returns nil, the new file is durable. If it returns an error, path is unchanged,
// unless only flushing the folder has failed: then path is old or new.
func WriteFile(fsys FS, path string, write func(io.Writer) error) error {
	return writeBy(fsys, path, path+Unfinished, write)
}

// WriteShared is WriteFile for a folder that other processes write to as well. The file holds the
// complete content of one of them. RemoveStale removes files that killed processes leave.
func WriteShared(fsys FS, path string, write func(io.Writer) error) error {
	return writeBy(fsys, path, path+"."+rand.Text()+Unfinished, write)
}

// RemoveStale removes a folder's unfinished files that are older than staleAfter. No process is
// still writing them.
func RemoveStale(fsys FS, dir string, now time.Time) error {
	return RemoveUnfinished(fsys, dir, func(finished string) bool {
		info, err := fsys.Stat(filepath.Join(dir, finished+Unfinished))
		return err == nil && now.Sub(info.ModTime()) > staleAfter
	})
}

// staleAfter is far longer than writing a file of a shared folder takes.
const staleAfter = 10 * time.Minute

// writeBy replaces the file at path with a file written at beside.
func writeBy(fsys FS, path, beside string, write func(io.Writer) error) error {
	return Install(fsys, path, beside, WriteSynced(fsys, beside, write))
}

// Install renames a complete and flushed file or folder beside path to path and flushes the name.
// If making it or renaming it has failed, for which err is the error of making it, Install removes
// it and returns the error.
func Install(fsys FS, path, beside string, err error) error {
	if err == nil {
		err = fsys.Rename(beside, path)
	}
	if err != nil {
		return errors.Join(err, RemoveAll(fsys, beside))
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// WriteSynced makes a file and flushes its content but not its name, replacing anything that a
// killed process has left at path. It is meant for the files of a folder that is flushed and
// renamed when it is complete.
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

// RemoveUnfinished removes unfinished files and folders of killed processes in dir, if ours
// accepts their finished names: dir may be a link to a folder with other files. A missing dir is
// not an error.
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

// ReadFile reads a regular file of at most limit bytes.
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
		return nil, fmt.Errorf("%s: %d bytes, more than the limit of %d", path, info.Size(), limit)
	}
	data = make([]byte, info.Size())
	_, err = io.ReadFull(file, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%s: %w before byte %d", path, err, info.Size())
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
