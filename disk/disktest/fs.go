package disktest

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"tiro/disk"
)

// ErrCrashed is what every operation returns from a crash on.
var ErrCrashed = errors.New("disktest: the machine has crashed")

// Kind is what an operation does.
type Kind string

// Kinds of operations.
const (
	Open    Kind = "open" // of a file, to read
	Create  Kind = "create"
	Append  Kind = "append" // the opening of a file, not the writing
	Read    Kind = "read"
	Write   Kind = "write"
	Sync    Kind = "sync" // of a file
	Close   Kind = "close"
	Rename  Kind = "rename"
	Remove  Kind = "remove"
	Mkdir   Kind = "mkdir"
	ReadDir Kind = "readdir"
	Stat    Kind = "stat"
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
	Path string // cleaned; of a rename the old one
	Size int    // bytes to be written or room to read; else 0
}

// Part is how much of an operation happens.
type Part int

// How much of an operation happens. Only a write can be done by half.
const (
	All Part = iota
	Half
	None
)

// Verdict is what becomes of an operation. The zero Verdict lets it through.
// None without an error is a disk that lies.
type Verdict struct {
	Do    Part
	Err   error // what the caller is told; nil: what comes of the operation
	Crash bool  // afterwards everything fails with ErrCrashed, beginning with this
}

// FS is a disk.FS in memory. It may be used by several goroutines.
type FS struct {
	// Hook, unless nil, is asked about each operation, one at a time. It must
	// not use the FS and is set before the first operation.
	Hook func(Op) Verdict

	mu     sync.Mutex
	root   *node
	locked map[*node]bool
	ops    int
	dead   bool
}

var _ disk.FS = (*FS)(nil)

// New returns an empty file system. Its paths begin anywhere: a relative path
// and the same behind a slash mean the same.
func New() *FS { return mount(newFolder()) }

func mount(root *node) *FS { return &FS{root: root, locked: map[*node]bool{}} }

// Kill ends the process: every operation on f fails from now on. It returns
// what the next process finds.
func (f *FS) Kill() *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
	return mount(f.root)
}

// Crash cuts the power: every operation on f fails from now on. It returns what
// the machine may find, drawn by rng; another call draws again.
func (f *FS) Crash(rng *rand.Rand) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
	return mount(f.root.survive(rng, map[*node]*node{}))
}

// Ops returns how many operations there were.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// do does an operation as far as the hook lets it. The function act does it, by
// half if it is told so; f.mu is held meanwhile.
func (f *FS) do(kind Kind, path string, size int, act func(half bool) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return &fs.PathError{Op: string(kind), Path: path, Err: ErrCrashed}
	}
	var v Verdict
	if f.Hook != nil {
		v = f.Hook(Op{N: f.ops, Kind: kind, Path: filepath.Clean(path), Size: size})
	}
	f.ops++
	var err error
	if v.Do == All || v.Do == Half && kind == Write {
		err = act(v.Do == Half)
	}
	switch {
	case v.Crash:
		f.dead = true
		err = ErrCrashed
	case v.Err != nil:
		err = v.Err
	}
	if err != nil {
		return &fs.PathError{Op: string(kind), Path: path, Err: err}
	}
	return nil
}

// find returns what is at a path.
func (f *FS) find(path string) (*node, error) {
	n := f.root
	for name := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(path)), "/") {
		if name == "" || name == "." {
			continue
		}
		if !n.folder() {
			return nil, syscall.ENOTDIR
		}
		if n = n.names[name]; n == nil {
			return nil, fs.ErrNotExist
		}
	}
	return n, nil
}

// parent returns the folder that a path is in, and the path's last name.
func (f *FS) parent(path string) (*node, string, error) {
	path = filepath.Clean(path)
	n, err := f.find(filepath.Dir(path))
	if err == nil && !n.folder() {
		err = syscall.ENOTDIR
	}
	return n, filepath.Base(path), err
}

// file returns the file at a path, made if need be.
func (f *FS) file(path string) (*node, error) {
	dir, name, err := f.parent(path)
	if err != nil {
		return nil, err
	}
	n := dir.names[name]
	switch {
	case n == nil:
		n = &node{}
		dir.change(map[string]*node{name: n})
	case n.folder():
		return nil, syscall.EISDIR
	}
	return n, nil
}

// Open opens a file to read.
func (f *FS) Open(path string) (disk.File, error) {
	file := &file{fs: f, path: path, reads: true}
	err := f.do(Open, path, 0, func(bool) (err error) {
		file.node, err = f.find(path)
		return err
	})
	return file.unless(err)
}

// Create opens a file to write, emptied.
func (f *FS) Create(path string) (disk.File, error) {
	file := &file{fs: f, path: path}
	err := f.do(Create, path, 0, func(bool) (err error) {
		if file.node, err = f.file(path); err == nil {
			file.node.empty()
		}
		return err
	})
	return file.unless(err)
}

// Append opens a file to write at its end.
func (f *FS) Append(path string) (disk.File, error) {
	file := &file{fs: f, path: path}
	err := f.do(Append, path, 0, func(bool) (err error) {
		file.node, err = f.file(path)
		return err
	})
	return file.unless(err)
}

// Rename gives a file or folder another name, whose file it replaces.
func (f *FS) Rename(from, to string) error {
	return f.do(Rename, from, 0, func(bool) error {
		source, old, err := f.parent(from)
		if err != nil {
			return err
		}
		target, name, err := f.parent(to)
		if err != nil {
			return err
		}
		n, there := source.names[old], target.names[name]
		switch {
		case n == nil:
			return fs.ErrNotExist
		case there != nil && there.folder():
			return fs.ErrExist
		case n == there:
			return nil
		case there != nil && n.folder():
			return syscall.ENOTDIR
		case strings.HasPrefix(filepath.Clean(to), filepath.Clean(from)+string(filepath.Separator)):
			return syscall.EINVAL // into itself
		}
		if source == target {
			source.change(map[string]*node{old: nil, name: n})
			return nil
		}
		target.change(map[string]*node{name: n})
		source.change(map[string]*node{old: nil})
		return nil
	})
}

// Remove removes a file or an empty folder.
func (f *FS) Remove(path string) error {
	return f.do(Remove, path, 0, func(bool) error {
		dir, name, err := f.parent(path)
		if err != nil {
			return err
		}
		n := dir.names[name]
		if n == nil {
			return fs.ErrNotExist
		}
		if len(n.names) > 0 {
			return syscall.ENOTEMPTY
		}
		dir.change(map[string]*node{name: nil})
		return nil
	})
}

// Mkdir makes a folder in one that exists.
func (f *FS) Mkdir(path string) error {
	return f.do(Mkdir, path, 0, func(bool) error {
		dir, name, err := f.parent(path)
		if err != nil {
			return err
		}
		if dir.names[name] != nil {
			return fs.ErrExist
		}
		dir.change(map[string]*node{name: newFolder()})
		return nil
	})
}

// ReadDir lists a folder by name.
func (f *FS) ReadDir(path string) (entries []fs.DirEntry, err error) {
	err = f.do(ReadDir, path, 0, func(bool) error {
		n, err := f.find(path)
		if err != nil {
			return err
		}
		if !n.folder() {
			return syscall.ENOTDIR
		}
		for name, child := range n.names {
			entries = append(entries, fs.FileInfoToDirEntry(child.info(name)))
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		return nil
	})
	return entries, err
}

// Stat describes what is at a path.
func (f *FS) Stat(path string) (info fs.FileInfo, err error) {
	err = f.do(Stat, path, 0, func(bool) error {
		n, err := f.find(path)
		if err == nil {
			info = n.info(filepath.Base(path))
		}
		return err
	})
	return info, err
}

// SyncDir makes the names in a folder last.
func (f *FS) SyncDir(path string) error {
	return f.do(SyncDir, path, 0, func(bool) error {
		n, err := f.find(path)
		if err != nil {
			return err
		}
		if !n.folder() {
			return syscall.ENOTDIR
		}
		n.syncNames()
		return nil
	})
}
