package rundir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOldest: each generation has 10 samples, the window at most 25.
func TestOldest(t *testing.T) {
	h := History{}
	for g := 1; g <= 9; g++ {
		h[g] = Metrics{Generation: g, TotalSamples: 10 * g, Window: min(10*g, 25)}
	}
	for generation, want := range []int{1: 1, 2: 1, 3: 1, 4: 2, 5: 3, 9: 7} {
		if generation > 0 && want > 0 {
			require.Equal(t, want, h.oldest(generation), "generation %d", generation)
		}
	}
	require.Equal(t, 7, h.oldest(11), "an unknown generation has the result of an earlier one")
	require.Equal(t, 1, History{}.oldest(11), "an empty history")

	// A missing line may add a generation too many, never one too few.
	delete(h, 6)
	require.Equal(t, 6, h.oldest(9))

	h.forget(6)
	require.Len(t, h, 4)
	require.Equal(t, 6, h.oldest(9), "5 marks where 6 begins")
}
