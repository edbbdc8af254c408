package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Set is one implementation of the kernels. Sets differ in speed and in the
// last bits of results, in nothing else. A Set is immutable and safe for
// concurrent use; the zero Set is the pure Go one.
type Set struct{ impl *implementation }

// implementation is what an instruction set brings: the two tile kernels and
// the sizes they like, and the transforms of tiles.
type implementation struct {
	name       string
	rows       int // rows of a tile, at most
	panels     int // panels of a tile, at most
	multiply   func(*tile)
	accumulate func(*tile)
	transforms *[transforms][tilings]func(*patch) // nil: the pure Go ones
}

var pureGo = &implementation{name: "go", rows: 12, panels: 2, multiply: multiplyGo, accumulate: accumulateGo}

// transform runs a transform on a patch.
func (impl *implementation) transform(f transform, p *patch, t *tiling) {
	p.check(f, t)
	if impl.transforms == nil {
		p.transformGo(f, t)
		return
	}
	impl.transforms[f][t.size-smallestTile](p)
}

// Best returns the fastest set that this CPU can run.
func Best() Set { return Set{available()[0]} }

// Named returns the set of that name, one of Names.
func Named(name string) (Set, error) {
	for _, impl := range available() {
		if impl.name == name {
			return Set{impl}, nil
		}
	}
	return Set{}, fmt.Errorf("kernel: set %q; this CPU can run %s", name, strings.Join(Names(), ", "))
}

// Names returns the names of the sets that this CPU can run, the fastest first
// and "go", which runs everywhere, last.
func Names() []string {
	var names []string
	for _, impl := range available() {
		names = append(names, impl.name)
	}
	return names
}

// Name returns the set's name: "avx512", "avx2" or "go".
func (s Set) Name() string { return s.get().name }

func (s Set) get() *implementation {
	if s.impl == nil {
		return pureGo
	}
	return s.impl
}

// available returns what this CPU can run, the fastest first.
func available() []*implementation { return append(slices.Clone(native()), pureGo) }
