package arena

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeanInterval(t *testing.T) {
	none := MeanInterval(nil)
	require.True(t, math.IsNaN(none.Value))
	require.True(t, math.IsInf(none.Low, -1) && math.IsInf(none.High, 1))

	one := MeanInterval([]float64{0.5})
	require.Equal(t, 0.5, one.Value)
	require.True(t, math.IsInf(one.Low, -1) && math.IsInf(one.High, 1))

	// Student's own sleep data, the additional hours by the second drug (1908,
	// section IX): mean 2.33, deviation 2.002, t(9) at 97.5% = 2.262.
	sleep := MeanInterval([]float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4})
	require.InDelta(t, 2.33, sleep.Value, 1e-9)
	require.InDelta(t, 2.33-1.432, sleep.Low, 1e-3)
	require.InDelta(t, 2.33+1.432, sleep.High, 1e-3)
}

// An interval of 95% misses the truth in one of twenty samples.
func TestMeanIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	held := 0
	const trials = 20_000
	for range trials {
		values := make([]float64, 3)
		for i := range values {
			values[i] = 7 + 2*rng.NormFloat64()
		}
		if in := MeanInterval(values); in.Low <= 7 && 7 <= in.High {
			held++
		}
	}
	require.InDelta(t, 0.95, float64(held)/trials, 0.01)
}
