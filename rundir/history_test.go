package rundir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOldest: generations of 10 rows, a window of 25 once there are as many.
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
	require.Equal(t, 7, h.oldest(11), "unknown: as for the ones before")
	require.Equal(t, 1, History{}.oldest(11), "nothing is known")

	// Where a line is lost, rather one generation too many.
	delete(h, 6)
	require.Equal(t, 6, h.oldest(9))

	h.forget(6)
	require.Len(t, h, 4)
	require.Equal(t, 6, h.oldest(9), "5 says where 6 begins")
}
