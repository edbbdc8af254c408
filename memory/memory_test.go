package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/memory"
)

func TestAllocator(t *testing.T) {
	build := func(a *memory.Allocator) ([]float32, []int64) {
		a.Add("states", 100)
		return memory.Make[float32](a, "input", 3), memory.Grow[int64](a, "path", 8)
	}
	real, dry := memory.Allocator{}, memory.Allocator{DryRun: true}
	input, path := build(&real)
	require.Equal(t, make([]float32, 3), input)
	require.Empty(t, path)

	input, _ = build(&dry)
	require.Nil(t, input)
	require.EqualValues(t, 100+13+80, dry.Bytes())
	require.Equal(t, []memory.Buffer{{"states", 100}, {"input", 13}, {"path", 80}}, dry.Buffers())
	require.Equal(t, real.Buffers(), dry.Buffers())

	large := memory.Allocator{DryRun: true}
	memory.Make[float32](&large, "whole pages", 10_001)
	require.EqualValues(t, 5*8192, large.Bytes())
}
