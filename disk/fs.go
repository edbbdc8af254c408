package disk

import (
	"errors"
	"io"
	"io/fs"
)

// FS is a file system that can be written. Paths are the operating system's.
// Errors are like those of package os: they name the path and wrap
// fs.ErrNotExist, fs.ErrPermission or the system's error code. Any number of
// goroutines may use an FS.
type FS interface {
	// Open opens a regular file, or what a link leads to, to read it. Of anything
	// else, such as a folder, a pipe or a device, it returns ErrNotFile, without
	// waiting.
	Open(path string) (File, error)
	// Create makes a file and opens it to write. If anything has its name, even a
	// link that leads nowhere, the error wraps fs.ErrExist.
	Create(path string) (File, error)
	// Append opens a regular file to write at its end, and makes it if it does not
	// exist. Of anything else, links too, it returns ErrNotFile.
	Append(path string) (File, error)
	// Rename gives a file or folder another name. A file that has this name is
	// replaced atomically; a folder that has it is an error.
	Rename(from, to string) error
	// Remove removes a file, a link or an empty folder. Of a folder that is not
	// empty the error wraps fs.ErrExist.
	Remove(path string) error
	// Mkdir makes a folder in one that exists.
	Mkdir(path string) error
	// ReadDir lists a folder by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Stat describes a file or folder, or what a link leads to.
	Stat(path string) (fs.FileInfo, error)
	// SyncDir makes the names in a folder last.
	SyncDir(path string) error
	// Lock locks a regular file for this process, and makes it if it does not exist.
	// It returns ErrLocked if another process holds it for more than an instant, and
	// ErrNotFile of anything else, links too.
	Lock(path string) (Lock, error)
}

// File is an open file, for one goroutine at a time.
type File interface {
	io.Reader
	io.Writer
	io.Closer
	// Sync makes the content last. After an error the content must be written
	// again, to another file.
	Sync() error
	Stat() (fs.FileInfo, error)
}

// Lock is a file that this process has locked. Close unlocks it, and so does
// the end of the process.
type Lock interface {
	io.Closer
	// Check returns an error that wraps ErrLost if the locked file is no longer
	// the one at its path: its folder was moved, removed or replaced, and
	// writing there would do harm. Other errors say that the machine cannot tell.
	Check() error
}

// WeakLock is implemented by locks that may be of a file system that has none.
type WeakLock interface {
	// Weak reports that the system does not keep other processes out, such as those on
	// other machines: that is left to a file, which a killed process leaves behind.
	Weak() bool
}

// ErrLocked is returned by FS.Lock when another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// ErrNotFile is wrapped by errors about something else where a file is wanted: a
// folder, a pipe, a socket, a device or, where it would be written, a link.
var ErrNotFile = errors.New("not a regular file")

// ErrLost is wrapped by the errors of Lock.Check.
var ErrLost = errors.New("no longer the file that was locked")
