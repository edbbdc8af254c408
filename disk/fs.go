package disk

import (
	"errors"
	"io"
	"io/fs"
)

// FS is what a run asks of a file system. Paths are the operating system's.
// Errors are those of package os: they name the path and wrap fs.ErrNotExist,
// fs.ErrPermission or the system's own code. Any number of goroutines may use
// an FS.
type FS interface {
	// Open opens a file to read it.
	Open(path string) (File, error)
	// Create opens a file to write it, emptied, made if need be.
	Create(path string) (File, error)
	// Append opens a file to write at its end, made if need be.
	Append(path string) (File, error)
	// Rename gives a file or folder another name. A file that has that name
	// already is replaced, at one instant; a folder is not.
	Rename(from, to string) error
	// Remove removes a file or an empty folder.
	Remove(path string) error
	// RemoveAll removes a file or folder with all that is in it. What is not
	// there is no error.
	RemoveAll(path string) error
	// MkdirAll makes a folder and its missing parents, which last when it
	// returns. A folder that is there already is no error.
	MkdirAll(path string) error
	// ReadDir lists a folder by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Stat tells of a file or folder, or of what a link leads to.
	Stat(path string) (fs.FileInfo, error)
	// SyncDir makes the names in a folder last.
	SyncDir(path string) error
	// Lock locks a file, which it makes if need be, for this process. It
	// returns ErrLocked if another holds it, and not only for an instant.
	Lock(path string) (Lock, error)
}

// File is an open file, for one goroutine at a time.
type File interface {
	io.Reader
	io.Writer
	io.Closer
	// Sync makes the content last. After an error it must be written anew, to
	// another file.
	Sync() error
	Stat() (fs.FileInfo, error)
}

// Lock is a file that this process has locked. Close unlocks it; so does the
// end of the process.
type Lock interface {
	io.Closer
	// Held returns an error if the locked file is no longer the one at its
	// path: its folder has vanished or is another, where writing would do
	// harm.
	Held() error
}

// ErrLocked is returned by FS.Lock when another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// ErrLost is wrapped by Lock.Held.
var ErrLost = errors.New("no longer the file that was locked")
