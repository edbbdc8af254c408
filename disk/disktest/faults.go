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

// Kind is what an operation does.
type Kind string

// Kinds of operations.
const (
	Open    Kind = "open" // a file, to read it
	Create  Kind = "create"
	Append  Kind = "append" // opens a file, does not write yet
	Read    Kind = "read"
	Write   Kind = "write"
	Sync    Kind = "sync" // of a file
	Close   Kind = "close"
	Rename  Kind = "rename"
	Remove  Kind = "remove"
	Mkdir   Kind = "mkdir"
	ReadDir Kind = "readdir"
	Stat    Kind = "stat" // of a path, an open file or a lock
	SyncDir Kind = "syncdir"
	Lock    Kind = "lock"
)

// Changes reports whether operations of the kind change what is on the disk or
// make it last, so that a read-only or full disk may refuse them.
func (k Kind) Changes() bool {
	return !slices.Contains([]Kind{Open, Read, Close, ReadDir, Stat}, k)
}

// Op is an operation that is about to happen.
type Op struct {
	N    int // from 0, over the life of the FS
	Kind Kind
	Path string // cleaned
	To   string // the new path of a rename, cleaned
	Size int    // bytes to be written, or room for bytes to be read; else 0
}

// Part is how much of an operation happens.
type Part int

// Parts of an operation. Only half a write can happen; Half means None for all
// other kinds.
const (
	All Part = iota
	Half
	None
)

// Verdict is what becomes of an operation. The zero Verdict lets it through.
// With None and no error the disk lies.
type Verdict struct {
	Do    Part
	Err   error // what the caller gets; nil: what the operation returns
	Crash bool  // this operation and all that follow return ErrCrashed
}

// FS is a disk.FS whose operations are done, in part or not at all, by another
// one. Any number of goroutines may use it; it does one operation at a time.
type FS struct {
	// Hook, unless nil, decides about each operation. It must not use the FS.
	// It may be set while no operation is under way.
	Hook func(Op) Verdict
	// OnCrash, unless nil, is called once when a Verdict crashes the FS, after
	// the part of the operation that it allows. It may end the process.
	OnCrash func()

	inner disk.FS
	bare  bool // errors of inner do not name the operation and the path
	mu    sync.Mutex
	ops   int
	dead  bool
}

var _ disk.FS = (*FS)(nil)

// Over returns a file system that asks hook before every operation of inner.
func Over(inner disk.FS, hook func(Op) Verdict) *FS { return &FS{Hook: hook, inner: inner} }

// Ops returns the number of operations so far.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// do does an operation by calling act, as far as the hook lets it.
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
		if f.OnCrash != nil {
			f.OnCrash()
		}
	}
	if v.Err != nil {
		err = v.Err
	}
	if err != nil && (v.Err != nil || f.bare) {
		return &fs.PathError{Op: string(op.Kind), Path: op.Path, Err: err}
	}
	return err
}

// on does an operation on a path.
func (f *FS) on(kind Kind, path string, act func(string) error) error {
	return f.do(Op{Kind: kind, Path: path}, func(bool) error { return act(path) })
}

// get does an operation on a path that returns something.
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
