package disk

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Replacement is a new file that is about to take the place of one on the machine's
// file system that a person has named, in a folder that others may write to as
// well. Its content goes to a file beside, of a name that nobody can guess
// (TemporaryFiles), and any number of processes may replace one file: it holds all
// that one of them wrote. Close must be called. What killed processes have left in the folder,
// the next Replacement there removes.
type Replacement struct {
	path string   // what links lead to
	file *os.File // nil after Commit or Close
}

// TemporaryFiles is the pattern of the names of files that Replace makes. They are locked
// as long as their process lives.
const TemporaryFiles = ".tiro-*.tmp"

// Replace makes the file that is to take the place of the one at path, which need
// not exist. It fails where Commit would: if the folder is missing or cannot be
// written, or if the file at path is not a regular one or could not be written. A
// link at path stays, and what it leads to is replaced. The new file has the
// permissions of the old one.
func Replace(path string) (*Replacement, error) {
	path, err := followLinks(path)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o666)
	old, err := os.Lstat(path)
	switch {
	case err == nil:
		mode = old.Mode().Perm()
		err = checkWritable(path, mode)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return nil, err
	}
	removeTemporary(filepath.Dir(path))
	file, err := createTemporary(filepath.Dir(path), mode)
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		fault.Op, fault.Path = "make a file in", filepath.Dir(path)
	}
	if err != nil {
		return nil, err
	}
	r := &Replacement{path, file}
	if old != nil { // else the process's mask of permissions counts
		if err := file.Chmod(mode); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// createTemporary makes a temporary file in a folder and locks it, as far as the file system
// has locks. One that another process has just taken for a killed one's is made again.
func createTemporary(dir string, mode fs.FileMode) (*os.File, error) {
	for {
		path := filepath.Join(dir, ".tiro-"+rand.Text()+".tmp")
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		free, err := tryLock(file)
		if err != nil {
			return file, nil // it may be left behind
		}
		if l := (osLock{path: path, file: file}); free && !errors.Is(l.Check(), ErrLost) {
			return file, nil
		}
		_ = file.Close()
	}
}

// removeTemporary removes the temporary files of killed processes in a folder, as far as it
// can: those that nobody has locked.
func removeTemporary(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if ours, _ := filepath.Match(TemporaryFiles, e.Name()); !ours || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		file, err := open(path, os.O_WRONLY|noFollow)
		if err != nil {
			continue
		}
		free, err := tryLock(file)
		left := err == nil && free
		if info, err := file.Stat(); runtime.GOOS == "windows" && (err != nil || time.Since(info.ModTime()) < time.Minute) {
			left = false // it may be about to be renamed
		}
		if left {
			left = os.Remove(path) != nil // Windows removes no open file
		}
		_ = file.Close()
		if left {
			_ = os.Remove(path)
		}
	}
}

// maxLinks is how many links are followed from one path, as on Linux.
const maxLinks = 40

// followLinks returns the path of what the link at path leads to in the end, which
// need not exist.
func followLinks(path string) (string, error) {
	at := path
	for range maxLinks {
		to, err := os.Readlink(at)
		if err != nil { // no link, or nothing is there
			return at, nil
		}
		if !filepath.IsAbs(to) {
			// Not filepath.Join: behind a link, .. is not the folder before it.
			to = filepath.Dir(at) + string(filepath.Separator) + to
		}
		at = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}

// checkWritable returns an error if a file of this mode could not be written in
// place: to replace it all the same would not be what its owner wants.
func checkWritable(path string, mode fs.FileMode) error {
	if mode&0o222 == 0 { // which does not keep root from writing
		return &fs.PathError{Op: "replace read-only file", Path: path, Err: fs.ErrPermission}
	}
	file, err := open(path, os.O_WRONLY|noFollow)
	if err != nil {
		return err
	}
	return file.Close()
}

// Commit puts what write writes in the place of the old file. When it returns nil,
// the new file outlasts a crash of the machine. When it returns an error, the old
// one is as it was, unless only its folder could not be flushed.
func (r *Replacement) Commit(write func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(r.file, 1<<16)
	if err := write(buffer); err != nil {
		return err
	}
	if err := errors.Join(buffer.Flush(), r.file.Sync()); err != nil {
		return err
	}
	file := r.file
	r.file = nil
	var err error
	if runtime.GOOS == "windows" { // which renames no open file
		err = file.Close()
	}
	if err == nil {
		err = os.Rename(file.Name(), r.path)
	}
	if err != nil {
		_ = file.Close()
		return errors.Join(err, os.Remove(file.Name()))
	}
	if runtime.GOOS != "windows" { // only now: until it has its name, the lock keeps it
		if err := file.Close(); err != nil {
			return err
		}
	}
	err = OS{}.SyncDir(filepath.Dir(r.path))
	if errors.Is(err, fs.ErrPermission) { // a folder that may be written but not read
		return nil
	}
	return err
}

// Close removes the new file unless Commit has put it in place.
func (r *Replacement) Close() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
