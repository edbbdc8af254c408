package decimal

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSigned(t *testing.T) {
	for want, x := range map[string]float64{"+0": -0.4, "+1": 0.6, "-1": -0.6, "-10": -10, "+Inf": math.Inf(1), "NaN": math.NaN()} {
		require.Contains(t, Signed(x, 0), want)
	}
	require.Equal(t, "+0.00", Signed(-0.004, 2))
	require.Equal(t, "-0.01", Signed(-0.01, 2))
}
