package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Backend is an implementation of the kernels. Backends differ in speed and, if they are of
// different kinds (see Bits), in the last bits of results: the assembly uses fused multiply-adds,
// and pure Go does not. A Backend is immutable and safe for concurrent use. The zero Backend is
// pure Go.
type Backend struct{ impl *implementation }

// implementation holds the two tile kernels of an instruction set, the tile sizes that suit them,
// and the transforms of tiles.
type implementation struct {
	name       string
	bits       string // kind of results, see Backend.Bits
	rows       int    // rows of the largest tile
	panels     int    // panels of the largest tile
	multiply   func(*tile)
	accumulate func(*tile)
	transforms *[transforms][tilings]func(*patch) // nil for the transforms in pure Go
}

// maxTileRows is the largest number of rows of a tile on any backend.
const maxTileRows = 12

var pureGo = &implementation{name: "go", bits: separate, rows: maxTileRows, panels: 2, multiply: multiplyGo, accumulate: accumulateGo}

// transform runs a transform on a patch.
func (impl *implementation) transform(f transform, p *patch, t *tiling) {
	p.check(f, t)
	if impl.transforms == nil {
		p.transformGo(f, t)
		return
	}
	impl.transforms[f][t.size-smallestTile](p)
}

// Best returns the fastest backend that this CPU can run.
func Best() Backend { return Backend{available()[0]} }

// Named returns the backend with the given name, which must be in Names.
func Named(name string) (Backend, error) {
	for _, impl := range available() {
		if impl.name == name {
			return Backend{impl}, nil
		}
	}
	return Backend{}, fmt.Errorf("kernel: backend %q is not available on this CPU (%s)", name, strings.Join(Names(), ", "))
}

// Names returns the names of the backends that this CPU can run, the fastest first
// and "go" last.
func Names() []string {
	var names []string
	for _, impl := range available() {
		names = append(names, impl.name)
	}
	return names
}

// Name returns the backend's name: "avx512", "avx2", "neon", "simd" or "go".
func (b Backend) Name() string { return b.get().name }

// Kinds of results.
const (
	fma      = "fma" // fused multiply-adds, as in assembly
	separate = "go"  // products are rounded before they are added, as in pure Go
)

// Bits returns the kind of the backend's results: "fma" for avx512, avx2 and neon, "go" for
// simd and pure Go. Backends of one kind compute the same bits on every machine.
func (b Backend) Bits() string { return b.get().bits }

// WithBits returns the fastest backend on this CPU whose results are of the given kind.
func WithBits(bits string) (Backend, error) {
	for _, impl := range available() {
		if impl.bits == bits {
			return Backend{impl}, nil
		}
	}
	return Backend{}, fmt.Errorf("kernel: no backend with %q results is available on this CPU (%s)", bits, strings.Join(Names(), ", "))
}

func (b Backend) get() *implementation {
	if b.impl == nil {
		return pureGo
	}
	return b.impl
}

// available returns the implementations that this CPU can run, the fastest first.
func available() []*implementation { return append(slices.Clone(native()), pureGo) }
