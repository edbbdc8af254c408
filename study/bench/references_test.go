package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSizes: sizes of batches are measured up to the one that takes too long.
func TestSizes(t *testing.T) {
	var out strings.Builder
	var now time.Time
	b := Bench{Out: &out, Length: 5 * time.Second, Clock: func() time.Time { return now }}
	require.NoError(t, b.sizes(t.Context(), []int{256, 2048, 8192}, "ref5", "network", "evals/s", func(rows int) error {
		now = now.Add(time.Duration(rows) * time.Millisecond)
		return nil
	}))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	for i, batch := range []string{"256", "2048"} {
		fields := strings.Fields(lines[i])
		require.Equal(t, "1000", fields[1])
		require.Equal(t, batch, fields[len(fields)-1])
	}
}
