package kernel

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The generator knows these offsets.
func TestTileLayout(t *testing.T) {
	var tl tile
	require.Equal(t, []uintptr{0, 24, 48, 72, 96, 120, 144, 152, 160, 168, 176, 184, 192, 200, 208, 232}, []uintptr{
		unsafe.Offsetof(tl.a), unsafe.Offsetof(tl.b), unsafe.Offsetof(tl.c), unsafe.Offsetof(tl.init),
		unsafe.Offsetof(tl.residual), unsafe.Offsetof(tl.segments), unsafe.Offsetof(tl.lda), unsafe.Offsetof(tl.ldc),
		unsafe.Offsetof(tl.ldi), unsafe.Offsetof(tl.panel), unsafe.Offsetof(tl.m), unsafe.Offsetof(tl.n),
		unsafe.Offsetof(tl.k), unsafe.Offsetof(tl.relu), unsafe.Offsetof(tl.mask), unsafe.Offsetof(tl.ldb),
	})
	require.Equal(t, uintptr(16), unsafe.Sizeof(segment{}))
}
