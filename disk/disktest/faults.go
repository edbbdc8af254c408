package disktest

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"tiro/disk"
)

// ErrCrashed is returned by every operation after a crash.
var ErrCrashed = errors.New("disktest: the machine has crashed")

// Kind is the kind of an operation.
type Kind string

// Kinds of operations.
const (
	Open    Kind = "open" // opens a file for reading
	Create  Kind = "create"
	Append  Kind = "append" // opens a file, without writing
	Read    Kind = "read"
	Write   Kind = "write"
	Sync    Kind = "sync" // flushes a file
	Close   Kind = "close"
	Rename  Kind = "rename"
	Remove  Kind = "remove"
	Mkdir   Kind = "mkdir"
	ReadDir Kind = "readdir"
	Stat    Kind = "stat" // of a path, an open file or a lock
	SyncDir Kind = "syncdir"
	Lock    Kind = "lock"
)

// Changes reports whether operations of the kind change the disk or make a change durable, so
// that a read-only or full disk may refuse them.
func (k Kind) Changes() bool {
	return !slices.Contains([]Kind{Open, Read, Close, ReadDir, Stat}, k)
}

// Op is an operation that is about to happen.
type Op struct {
	N    int // number of the operation, from 0, over the life of the FS
	Kind Kind
	Path string // cleaned
	To   string // the new path of a rename, cleaned
	Size int    // length of the data to write or of the buffer to read into; else 0
}

// Part is the part of an operation that is carried out.
type Part int

// Parts of an operation. Half is for writes; for all other kinds it means None.
const (
	All Part = iota
	Half
	None
)

// Verdict decides an operation. The zero Verdict carries it out. With None and no error the disk
// lies.
type Verdict struct {
	Do    Part
	Err   error // the error to return; nil for the operation's own
	Crash bool  // this and all later operations return ErrCrashed
}

// FS is a disk.FS that carries out its operations, in part or not at all, on another one. It is
// safe for concurrent use and carries out one operation at a time.
type FS struct {
	// Hook, unless nil, decides each operation. It must not use the FS. It may be set while no
	// operation is running.
	Hook func(Op) Verdict

	inner disk.FS
	bare  bool // errors of inner lack the operation and the path
	mu    sync.Mutex
	ops   int
	dead  bool
}

var _ disk.FS = (*FS)(nil)

// Over returns a file system that calls hook before every operation of inner.
func Over(inner disk.FS, hook func(Op) Verdict) *FS { return &FS{Hook: hook, inner: inner} }

// Ops returns the number of operations so far.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// do calls act to carry out an operation, as far as the hook allows.
func (f *FS) do(op Op, act func(half bool) error) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var v Verdict
	if f.dead {
		v = Verdict{Do: None, Err: ErrCrashed}
	} else {
		op.N, op.Path = f.ops, filepath.Clean(op.Path)
		f.ops++
		if f.Hook != nil {
			v = f.Hook(op)
		}
	}
	if v.Do == All || v.Do == Half && op.Kind == Write || op.Kind == Close {
		err = act(v.Do == Half)
	}
	if v.Crash {
		f.dead, v.Err = true, ErrCrashed
	}
	if v.Err != nil {
		err = v.Err
	}
	if err != nil && (v.Err != nil || f.bare) {
		return &fs.PathError{Op: string(op.Kind), Path: op.Path, Err: err}
	}
	return err
}

// on carries out an operation on a path.
func (f *FS) on(kind Kind, path string, act func(string) error) error {
	return f.do(Op{Kind: kind, Path: path}, func(bool) error { return act(path) })
}

// get carries out an operation on a path that returns a result.
func get[T any](f *FS, kind Kind, path string, act func(string) (T, error)) (result T, err error) {
	err = f.on(kind, path, func(path string) (err error) {
		result, err = act(path)
		return err
	})
	return result, err
}

func (f *FS) Remove(path string) error              { return f.on(Remove, path, f.inner.Remove) }
func (f *FS) Mkdir(path string) error               { return f.on(Mkdir, path, f.inner.Mkdir) }
func (f *FS) SyncDir(path string) error             { return f.on(SyncDir, path, f.inner.SyncDir) }
func (f *FS) Stat(path string) (fs.FileInfo, error) { return get(f, Stat, path, f.inner.Stat) }
func (f *FS) ReadDir(path string) ([]fs.DirEntry, error) {
	return get(f, ReadDir, path, f.inner.ReadDir)
}

func (f *FS) Rename(from, to string) error {
	return f.do(Op{Kind: Rename, Path: from, To: filepath.Clean(to)}, func(bool) error { return f.inner.Rename(from, to) })
}
