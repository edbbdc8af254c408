package disktest

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// block is how many bytes a disk writes at least at once.
const block = 512

// node is a file or a folder, whatever its name is: as the process sees it, as
// it was when it was last synced, and what was done in between.
type node struct {
	data   []byte
	synced []byte
	writes []write // since the last Sync
	lost   []write // before it, that a Sync failed to flush

	names   map[string]*node // nil for a file
	lasting map[string]*node
	changes []map[string]*node // since the last SyncDir: names and what they have come to mean, nil for nothing
}

// write is one change of a file: bytes at its end, or, without any, the loss of
// all it had.
type write struct {
	at   int
	data []byte
}

func newFolder() *node {
	return &node{names: map[string]*node{}, lasting: map[string]*node{}}
}

func (n *node) folder() bool { return n.names != nil }

// change changes names of a folder, all at once.
func (n *node) change(names map[string]*node) {
	n.changes = append(n.changes, names)
	apply(n.names, names)
}

func apply(names, change map[string]*node) {
	for name, child := range change {
		if child == nil {
			delete(names, name)
		} else {
			names[name] = child
		}
	}
}

func (n *node) syncNames() { n.lasting, n.changes = maps.Clone(n.names), nil }

// empty takes a file's bytes away.
func (n *node) empty() {
	if len(n.data) > 0 {
		n.data, n.lost = nil, nil
		n.writes = append(n.writes, write{})
	}
}

// extend writes at a file's end.
func (n *node) extend(data []byte) {
	if len(data) > 0 {
		n.writes = append(n.writes, write{len(n.data), slices.Clone(data)})
		n.data = append(n.data, data...)
	}
}

func (n *node) sync() {
	n.synced, n.writes = slices.Clone(n.data), nil
	for _, w := range n.lost {
		clear(n.synced[w.at : w.at+len(w.data)])
	}
}

// giveUp is what the kernel does with bytes that it fails to flush: it goes on
// showing them, and takes them for flushed.
func (n *node) giveUp() {
	for _, w := range n.writes {
		if n.lost = append(n.lost, w); w.data == nil {
			n.lost = nil
		}
	}
	n.writes = nil
}

// survive returns what a power cut leaves of a file or folder; done are those
// that were met before.
func (n *node) survive(rng *rand.Rand, done map[*node]*node) *node {
	if left := done[n]; left != nil {
		return left
	}
	if !n.folder() {
		data := n.torn(rng)
		done[n] = &node{data: data, synced: slices.Clone(data)}
		return done[n]
	}
	left := newFolder()
	done[n] = left
	names := maps.Clone(n.lasting)
	for _, change := range n.changes[:rng.IntN(len(n.changes)+1)] {
		apply(names, change)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) { // the draws are in an order
		left.names[name] = names[name].survive(rng, done)
	}
	left.syncNames()
	return left
}

// torn returns what a power cut leaves of a file's bytes.
func (n *node) torn(rng *rand.Rand) []byte {
	data := slices.Clone(n.synced)
	total := 0
	for _, w := range n.writes {
		total += 1 + len(w.data)
	}
	switch rng.IntN(4) {
	case 0: // nothing has arrived
		return data
	case 1: // all has
		return prefix(data, n.writes, total)
	case 2: // in order, up to some byte
		return prefix(data, n.writes, rng.IntN(total+1))
	default: // in any order
		return scattered(data, n.writes, rng)
	}
}

// prefix adds the first so many bytes of the writes, each of which begins with
// one more.
func prefix(data []byte, writes []write, bytes int) []byte {
	for _, w := range writes {
		if bytes == 0 {
			break
		}
		if w.data == nil { // emptied
			data = nil
		}
		n := min(len(w.data), bytes-1)
		data = overlay(data, w.at, w.data[:n])
		bytes -= 1 + n
	}
	return data
}

// scattered adds those blocks of the writes that are drawn. A length may arrive
// without its bytes.
func scattered(data []byte, writes []write, rng *rand.Rand) []byte {
	length := len(data)
	for _, w := range writes {
		if w.data == nil { // emptied
			if rng.IntN(2) == 0 {
				data, length = nil, 0
			}
			continue
		}
		for from := 0; from < len(w.data); {
			to := min(len(w.data), from+block-(w.at+from)%block)
			if rng.IntN(2) == 0 {
				data = overlay(data, w.at+from, w.data[from:to])
			}
			from = to
		}
		if rng.IntN(2) == 0 {
			length = max(length, w.at+len(w.data))
		}
	}
	return overlay(data, length, nil)
}

// overlay writes part into data at a place, which may lie behind its end.
func overlay(data []byte, at int, part []byte) []byte {
	if end := at + len(part); end > len(data) {
		data = append(data, make([]byte, end-len(data))...)
	}
	copy(data[at:], part)
	return data
}

// info describes a file or folder under a name.
func (n *node) info(name string) fs.FileInfo {
	return info{name: name, size: int64(len(n.data)), folder: n.folder()}
}

type info struct {
	name   string
	size   int64
	folder bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) IsDir() bool        { return i.folder }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
