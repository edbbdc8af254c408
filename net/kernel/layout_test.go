package kernel

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The generator contains these offsets.
func TestTileLayout(t *testing.T) {
	var tl tile
	require.Equal(t, []uintptr{0, 24, 48, 72, 96, 120, 144, 152, 160, 168, 176, 184, 192, 200, 208, 232, 240, 248, 256, 264, 272, 280, 288, 296, 304, 312, 320}, []uintptr{
		unsafe.Offsetof(tl.a), unsafe.Offsetof(tl.b), unsafe.Offsetof(tl.c), unsafe.Offsetof(tl.init),
		unsafe.Offsetof(tl.residual), unsafe.Offsetof(tl.segments), unsafe.Offsetof(tl.lda), unsafe.Offsetof(tl.ldc),
		unsafe.Offsetof(tl.ldi), unsafe.Offsetof(tl.panel), unsafe.Offsetof(tl.m), unsafe.Offsetof(tl.n),
		unsafe.Offsetof(tl.k), unsafe.Offsetof(tl.relu), unsafe.Offsetof(tl.mask), unsafe.Offsetof(tl.ldb),
		unsafe.Offsetof(tl.products), unsafe.Offsetof(tl.stepA), unsafe.Offsetof(tl.stepB), unsafe.Offsetof(tl.stepC),
		unsafe.Offsetof(tl.atA), unsafe.Offsetof(tl.atB), unsafe.Offsetof(tl.atC),
		unsafe.Offsetof(tl.tiles), unsafe.Offsetof(tl.left), unsafe.Offsetof(tl.tileA), unsafe.Offsetof(tl.tileC),
	})
	require.Equal(t, uintptr(16), unsafe.Sizeof(segment{}))
}

func TestPatchLayout(t *testing.T) {
	var p patch
	require.Equal(t, []uintptr{0, 24, 32, 40, 64, 72, 80, 80 + 49*24, 80 + 2*49*24}, []uintptr{
		unsafe.Offsetof(p.points), unsafe.Offsetof(p.step), unsafe.Offsetof(p.count), unsafe.Offsetof(p.scratch),
		unsafe.Offsetof(p.floor), unsafe.Offsetof(p.masked), unsafe.Offsetof(p.cells), unsafe.Offsetof(p.residual),
		unsafe.Offsetof(p.mask),
	})
}
