package replay

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWindow(t *testing.T) {
	r := Config{Window: 1000, Alpha: 0.75, Beta: 0.4}
	require.Equal(t, 1000, r.Size(0))
	require.Equal(t, 1000, r.Size(1000))
	require.Equal(t, 3465, r.Size(10_000)) // 1000·(1 + 0.4·(10^0.75 - 1)/0.75) = 3465.8…
	r.Beta = 0
	require.Equal(t, 1000, r.Size(1_000_000))
}

// TestWindowNeverGoesBack: evicted samples never return to the window. Resuming a run
// relies on this.
func TestWindowNeverGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Config{
			Window: rapid.IntRange(1, 10_000).Draw(t, "window"),
			Alpha:  rapid.Float64Range(0.01, 1).Draw(t, "alpha"),
			Beta:   rapid.Float64Range(0, 1).Draw(t, "beta"),
		}
		n := rapid.IntRange(0, 1_000_000).Draw(t, "n")
		more := rapid.IntRange(0, 10_000).Draw(t, "more")
		require.LessOrEqual(t, r.Size(n+more)-r.Size(n), more+1) // 1 for rounding
	})
}
