package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/memory"
)

func TestAllocator(t *testing.T) {
	for _, dryRun := range []bool{false, true} {
		a := memory.Allocator{DryRun: dryRun}
		a.Add(100)
		require.EqualValues(t, 100, a.Bytes())
		input := memory.Make[float32](&a, 3)
		require.EqualValues(t, 100+13, a.Bytes())
		require.Empty(t, memory.Grow[int64](&a, 8))
		require.EqualValues(t, 100+13+80, a.Bytes())
		if dryRun {
			require.Nil(t, input)
		} else {
			require.Equal(t, make([]float32, 3), input)
		}
	}

	large := memory.Allocator{DryRun: true}
	memory.Make[float32](&large, 10_001)
	require.EqualValues(t, 5*8192, large.Bytes())
}
