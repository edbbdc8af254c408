package disktest

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"tiro/disk"
)

// Memory is an FS over files in memory, which outlast its crashes.
type Memory struct {
	*FS
	root *node
}

// New returns an empty file system in memory. A relative path and the same path after a slash are
// equivalent.
func New() *Memory { return mount(newFolder()) }

func mount(root *node) *Memory {
	return &Memory{&FS{inner: &memory{root, map[*node]bool{}}, bare: true}, root}
}

// Layer moves all files and folders to the lower layer of an overlay file system, such as the
// image of a container. Renaming its folders returns EXDEV.
func (m *Memory) Layer() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.root.makeLower()
}

// Kill ends the process: every later operation on m fails. It returns the file system that the
// next process sees.
func (m *Memory) Kill() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
	return mount(m.root)
}

// Crash cuts the power: every later operation on m fails. It returns a file system that the
// machine may have afterwards, drawn with rng. Each call draws again.
func (m *Memory) Crash(rng *rand.Rand) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
	return mount(m.root.survive(rng, map[*node]*node{}))
}

// memory is a disk.FS in memory for one goroutine at a time.
type memory struct {
	root   *node
	locked map[*node]bool
}

// walk returns the folder that contains path, the last name in path, and the node of this name,
// which is nil if missing.
func (m *memory) walk(path string) (dir *node, name string, n *node, err error) {
	dir, n = m.root, m.root
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(path)), "/") {
		switch {
		case part == "" || part == ".":
			continue
		case n == nil:
			return nil, "", nil, fs.ErrNotExist
		case !n.folder():
			return nil, "", nil, syscall.ENOTDIR
		}
		dir, name, n = n, part, n.names[part]
	}
	return dir, name, n, nil
}

// find returns the node at a path.
func (m *memory) find(path string) (*node, error) {
	_, _, n, err := m.walk(path)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	return n, err
}

// folder returns the folder at a path.
func (m *memory) folder(path string) (*node, error) {
	n, err := m.find(path)
	if err == nil && !n.folder() {
		err = syscall.ENOTDIR
	}
	return n, err
}

// file returns the regular file at a path, which it makes if it is missing.
func (m *memory) file(path string) (*node, error) {
	dir, name, n, err := m.walk(path)
	switch {
	case err != nil:
		return nil, err
	case n == nil:
		n = &node{}
		dir.change(map[string]*node{name: n})
	case n.folder():
		return nil, disk.ErrNotFile
	}
	return n, nil
}

func (m *memory) Open(path string) (disk.File, error) {
	n, err := m.find(path)
	if err == nil && n.folder() {
		err = disk.ErrNotFile
	}
	return &memoryFile{node: n, path: path, reads: true}, err
}

func (m *memory) Create(path string) (disk.File, error) {
	_, _, n, err := m.walk(path)
	if err == nil && n != nil {
		err = fs.ErrExist
	}
	if err == nil {
		n, err = m.file(path)
	}
	return &memoryFile{node: n, path: path}, err
}

func (m *memory) Append(path string) (disk.File, error) {
	n, err := m.file(path)
	return &memoryFile{node: n, path: path}, err
}

func (m *memory) Rename(from, to string) error {
	source, old, n, err1 := m.walk(from)
	target, name, replaced, err2 := m.walk(to)
	switch err := cmp.Or(err1, err2); {
	case err != nil:
		return err
	case n == nil:
		return fs.ErrNotExist
	case replaced != nil && replaced.folder():
		return fs.ErrExist
	case n == replaced:
		return nil
	case n.lower:
		return syscall.EXDEV
	case replaced != nil && n.folder():
		return syscall.ENOTDIR
	case strings.HasPrefix(filepath.Clean(to), filepath.Clean(from)+string(filepath.Separator)):
		return syscall.EINVAL // into itself
	case source == target:
		source.change(map[string]*node{old: nil, name: n})
		return nil
	}
	target.change(map[string]*node{name: n})
	source.change(map[string]*node{old: nil})
	return nil
}

func (m *memory) Remove(path string) error {
	dir, name, n, err := m.walk(path)
	switch {
	case err != nil:
		return err
	case n == nil:
		return fs.ErrNotExist
	case len(n.names) > 0:
		return syscall.ENOTEMPTY
	}
	dir.change(map[string]*node{name: nil})
	return nil
}

func (m *memory) Mkdir(path string) error {
	dir, name, n, err := m.walk(path)
	switch {
	case err != nil:
		return err
	case n != nil:
		return fs.ErrExist
	}
	dir.change(map[string]*node{name: newFolder()})
	return nil
}

func (m *memory) ReadDir(path string) (entries []fs.DirEntry, err error) {
	dir, err := m.folder(path)
	if err != nil {
		return nil, err
	}
	for name, child := range dir.names {
		entries = append(entries, fs.FileInfoToDirEntry(child.info(name)))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (m *memory) Stat(path string) (fs.FileInfo, error) {
	n, err := m.find(path)
	if err != nil {
		return nil, err
	}
	return n.info(filepath.Base(path)), nil
}

func (m *memory) SyncDir(path string) error {
	dir, err := m.folder(path)
	if err == nil {
		dir.syncNames()
	}
	return err
}

func (m *memory) Lock(path string) (disk.Lock, error) {
	n, err := m.file(path)
	switch {
	case err != nil:
		return nil, err
	case m.locked[n]:
		return nil, disk.ErrLocked
	}
	m.locked[n] = true
	return &memoryLock{m, n, path}, nil
}

type memoryLock struct {
	memory *memory
	node   *node
	path   string
}

func (l *memoryLock) Check() error {
	n, err := l.memory.find(l.path)
	if err == nil && n != l.node {
		err = fs.ErrExist
	}
	if err != nil {
		return fmt.Errorf("%w: %w", disk.ErrLost, err)
	}
	return nil
}

func (l *memoryLock) Close() error {
	delete(l.memory.locked, l.node)
	return nil
}

// memoryFile is an open file, either read or written at its end.
type memoryFile struct {
	node  *node
	path  string
	reads bool
	at    int // position of the next byte to read
}

func (f *memoryFile) Read(p []byte) (int, error) {
	if !f.reads {
		return 0, syscall.EBADF
	}
	n := copy(p, f.node.data[min(f.at, len(f.node.data)):])
	f.at += n
	return n, nil
}

func (f *memoryFile) Write(p []byte) (int, error) {
	if f.reads {
		return 0, syscall.EBADF
	}
	f.node.extend(p)
	return len(p), nil
}

func (f *memoryFile) Sync() error                { f.node.sync(); return nil }
func (f *memoryFile) Stat() (fs.FileInfo, error) { return f.node.info(filepath.Base(f.path)), nil }
func (f *memoryFile) Close() error               { return nil }
func (f *memoryFile) giveUp()                    { f.node.giveUp() }
