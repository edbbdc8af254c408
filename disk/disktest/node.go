package disktest

import (
	"archive/tar"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
)

// block is the smallest number of bytes that a disk writes at once.
const block = 512

// node is a file or folder, whatever its names: its state for the process, its state at the last
// sync, and the changes since then.
type node struct {
	data   []byte
	synced []byte
	writes []write // since the last Sync
	lost   []write // dropped by failed Syncs

	lower   bool             // a folder of the lower layer of an overlay file system
	names   map[string]*node // nil for a file
	lasting map[string]*node
	changes []map[string]*node // since the last SyncDir: the new node of each name, nil if removed
}

// write is a write of bytes within one block at a file's end.
type write struct {
	at   int
	data []byte
}

func newFolder() *node {
	return &node{names: map[string]*node{}, lasting: map[string]*node{}}
}

func (n *node) folder() bool { return n.names != nil }

// change applies changes of a folder's names, all at once.
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

// makeLower moves a folder and the folders in it to the lower layer.
func (n *node) makeLower() {
	n.lower = n.folder()
	for _, child := range n.names {
		child.makeLower()
	}
}

func (n *node) syncNames() { n.lasting, n.changes = maps.Clone(n.names), nil }

// extend writes at a file's end.
func (n *node) extend(data []byte) {
	for len(data) > 0 {
		at := len(n.data)
		size := min(len(data), block-at%block)
		n.data = append(n.data, data[:size]...)
		n.writes = append(n.writes, write{at, n.data[at:]})
		data = data[size:]
	}
}

func (n *node) sync() {
	n.synced, n.writes = slices.Clone(n.data), nil
	for _, w := range n.lost {
		clear(n.synced[w.at : w.at+len(w.data)])
	}
}

// giveUp acts like a kernel that failed to flush bytes: it keeps showing them and treats them
// as flushed.
func (n *node) giveUp() {
	n.lost, n.writes = append(n.lost, n.writes...), nil
}

// survive returns a file or folder as it may be after a power cut. done has the results for the
// nodes visited before.
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
	left.lower = n.lower
	done[n] = left
	names := maps.Clone(n.lasting)
	for _, change := range n.changes[:rng.IntN(len(n.changes)+1)] {
		apply(names, change)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) { // sorted, so that the draws have a fixed order
		left.names[name] = names[name].survive(rng, done)
	}
	left.syncNames()
	return left
}

// torn returns a file's bytes as they may be after a power cut.
func (n *node) torn(rng *rand.Rand) []byte {
	var arrived []write
	switch rng.IntN(4) {
	case 0: // nothing
	case 1:
		arrived = n.writes
	case 2: // a prefix, which may end within a write
		if k := rng.IntN(len(n.writes) + 1); k > 0 {
			arrived = slices.Clone(n.writes[:k])
			last := &arrived[k-1]
			last.data = last.data[:rng.IntN(len(last.data)+1)]
		}
	case 3: // any blocks, and lengths without their bytes
		for _, w := range n.writes {
			switch end := w.at + len(w.data); rng.IntN(3) {
			case 0:
				arrived = append(arrived, w)
			case 1:
				arrived = append(arrived, write{end, []byte{}})
			}
		}
	}
	data := slices.Clone(n.synced)
	for _, w := range arrived {
		if end := w.at + len(w.data); end > len(data) {
			data = append(data, make([]byte, end-len(data))...)
		}
		copy(data[w.at:], w.data)
	}
	return data
}

// info describes a file or folder under a name.
func (n *node) info(name string) fs.FileInfo {
	h := tar.Header{Name: name, Size: int64(len(n.data)), Mode: 0o666}
	if n.folder() {
		h.Typeflag, h.Mode = tar.TypeDir, 0o777
	}
	return h.FileInfo()
}
