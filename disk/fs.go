package disk

import (
	"errors"
	"io"
	"io/fs"
)

// FS is a writable file system. Paths are in the operating system's syntax. Errors are like those
// of package os: they contain the path and wrap fs.ErrNotExist, fs.ErrPermission or the system's
// error code. An FS is safe for concurrent use.
type FS interface {
	// Open opens a regular file, or the target of a link, for reading. For anything else, such as
	// a folder, a pipe or a device, it returns ErrNotFile without blocking.
	Open(path string) (File, error)
	// Create makes a file and opens it for writing. If anything of this name exists, even a
	// dangling link, the error wraps fs.ErrExist.
	Create(path string) (File, error)
	// Append opens a regular file for writing at its end and makes it if it does not exist. For
	// anything else, including links, it returns ErrNotFile.
	Append(path string) (File, error)
	// Rename renames a file or folder. It atomically replaces a file at the new path, and fails
	// if a folder is there.
	Rename(from, to string) error
	// Remove removes a file, a link or an empty folder. For a folder that is not empty, the error
	// wraps fs.ErrExist.
	Remove(path string) error
	// Mkdir makes a folder in an existing folder.
	Mkdir(path string) error
	// ReadDir lists a folder, sorted by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Stat describes a file or folder, or the target of a link.
	Stat(path string) (fs.FileInfo, error)
	// SyncDir makes the names in a folder durable.
	SyncDir(path string) error
	// Lock locks a regular file for this process and makes it if it does not exist. It returns
	// ErrLocked if another process holds the lock for more than a moment, and ErrNotFile for
	// anything else than a regular file, including links.
	Lock(path string) (Lock, error)
}

// File is an open file, for use by one goroutine at a time.
type File interface {
	io.Reader
	io.Writer
	io.Closer
	// Sync makes the content durable. After an error the content must be written again, to
	// another file.
	Sync() error
	Stat() (fs.FileInfo, error)
}

// Lock is a file locked by this process. Closing it or ending the process releases the lock.
type Lock interface {
	io.Closer
	// Check returns an error that wraps ErrLost if the locked file is no longer at its path: its
	// folder was moved, removed or replaced, and writing there would do damage. Any other error
	// means that the state of the lock is unknown.
	Check() error
}

// WeakLock is implemented by locks that may be on a file system without locks.
type WeakLock interface {
	// Weak reports whether a file stands in for the lock because the file system has no locks.
	// Such a lock may not exclude processes on other machines, and a killed process leaves the
	// file behind.
	Weak() bool
}

// ErrLocked is returned by FS.Lock when another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// ErrNotFile is wrapped by errors about something other than a regular file: a folder, a pipe, a
// socket, a device or, on writing, a link.
var ErrNotFile = errors.New("not a regular file")

// ErrLost is wrapped by errors of Lock.Check about a replaced lock file.
var ErrLost = errors.New("no longer the file that was locked")
