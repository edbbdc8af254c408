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

// Replacement is a new version of a file that the user has named, on the machine's file system,
// in a folder that other processes may write to as well. Its content goes to a file beside the
// old one with an unpredictable name (TemporaryFiles). Any number of processes may replace one
// file: in the end it holds the complete content of one of them. Close must be called. The next
// Replacement in the folder removes files that killed processes have left.
type Replacement struct {
	path string   // the file to replace, with links followed
	file *os.File // nil after Commit or Close
}

// TemporaryFiles is the pattern of the names of files that Replace makes. They are locked as long
// as their process lives.
const TemporaryFiles = ".tiro-*.tmp"

// Replace starts to replace the file at path, which need not exist. It fails where Commit would:
// if the folder is missing or not writable, or if the file at path is not regular or not
// writable. A link at path is kept, and its target is replaced. The new file has the permissions
// of the old one.
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
		fault.Op, fault.Path = "create a file in", filepath.Dir(path)
	}
	if err != nil {
		return nil, err
	}
	r := &Replacement{path, file}
	if old != nil { // without an old file the process's umask applies
		if err := file.Chmod(mode); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// createTemporary makes a temporary file in a folder and locks it if the file system has locks.
// It makes another file if a process has just removed this one as left by a killed process.
func createTemporary(dir string, mode fs.FileMode) (*os.File, error) {
	for {
		path := filepath.Join(dir, ".tiro-"+rand.Text()+".tmp")
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		free, err := tryLock(file)
		if err != nil {
			return file, nil // the file may be left behind
		}
		if l := (osLock{path: path, file: file}); free && !errors.Is(l.Check(), ErrLost) {
			return file, nil
		}
		_ = file.Close()
	}
}

// removeTemporary removes the temporary files in a folder that no process has locked, as far as
// it can.
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
			left = false // its process may be about to rename it
		}
		if left {
			left = os.Remove(path) != nil // Windows cannot remove an open file
		}
		_ = file.Close()
		if left {
			_ = os.Remove(path)
		}
	}
}

// maxLinks is the largest number of links to follow from one path, as on Linux.
const maxLinks = 40

// followLinks returns the final target, which need not exist, of the link at path.
func followLinks(path string) (string, error) {
	at := path
	for range maxLinks {
		to, err := os.Readlink(at)
		if err != nil { // not a link, or missing
			return at, nil
		}
		if !filepath.IsAbs(to) {
			// Not filepath.Join: after a link, .. is not the folder before it.
			to = filepath.Dir(at) + string(filepath.Separator) + to
		}
		at = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}

// checkWritable returns an error if the file at path, which has this mode, is not writable.
// Renaming another file over it would work, but against its owner's intention.
func checkWritable(path string, mode fs.FileMode) error {
	if mode&0o222 == 0 { // root could write to it all the same
		return &fs.PathError{Op: "replace read-only file", Path: path, Err: fs.ErrPermission}
	}
	file, err := open(path, os.O_WRONLY|noFollow)
	if err != nil {
		return err
	}
	return file.Close()
}

// Commit replaces the old file with the content that write writes. If Commit returns nil, the new
// file is durable. If it returns an error, the old file is unchanged, unless only flushing the
// folder has failed.
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
	if runtime.GOOS == "windows" { // Windows cannot rename an open file
		err = file.Close()
	}
	if err == nil {
		err = os.Rename(file.Name(), r.path)
	}
	if err != nil {
		_ = file.Close()
		return errors.Join(err, os.Remove(file.Name()))
	}
	if runtime.GOOS != "windows" { // after the rename: until then, the lock protects the temporary file
		if err := file.Close(); err != nil {
			return err
		}
	}
	err = OS{}.SyncDir(filepath.Dir(r.path))
	if errors.Is(err, fs.ErrPermission) { // the folder is writable but not readable
		return nil
	}
	return err
}

// Close removes the new file unless Commit has replaced the old one with it.
func (r *Replacement) Close() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
