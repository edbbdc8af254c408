package rundir

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSum(t *testing.T) {
	m := Metrics{Header: MetricsHeader, Generation: 3, Games: 40, Endings: map[string]int{`,"sum":"`: 1}, SearchKL: 0.123456789, Machine: &Machine{Workers: 2, Backend: "go"}}
	require.NoError(t, m.Sign())
	line, err := json.Marshal(m)
	require.NoError(t, err)
	requireReads(t, line)

	other := m
	other.Machine = nil
	require.NoError(t, other.Sign())
	require.Equal(t, m.Sum, other.Sum, "independent of the machine")
	without, err := json.Marshal(other)
	require.NoError(t, err)
	requireReads(t, without)

	// Any flipped bit before the fields of the machine is detected.
	for bit := range 8 * (len(without) - 1) {
		line[bit/8] ^= 1 << (bit % 8)
		_, err := parseMetrics(line)
		require.Error(t, err, "bit %d: %s", bit, line)
		line[bit/8] ^= 1 << (bit % 8)
	}
}

func requireReads(t *testing.T, line []byte) {
	m, err := parseMetrics(line)
	require.NoError(t, err)
	require.Equal(t, 3, m.Generation)
}
