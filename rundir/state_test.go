package rundir

import (
	"bytes"
	"encoding/json"
	"testing"

	"tiro/models"

	"github.com/stretchr/testify/require"
)

func TestStateIsStrict(t *testing.T) {
	const good = `{"generation":3,"samples":90,"evicted_samples":10,"steps":7,"pending_samples":2.5,"backend":"go"}`
	s, err := readState(models.Checkpoint{Generation: 3, State: []byte(good)})
	require.NoError(t, err)
	require.Equal(t, State{3, 90, 10, 7, 2.5, "go"}, s)
	tests := []struct{ old, new, want string }{
		{`"steps"`, `"stepps"`, "unknown field"},
		{`"generation":3`, `"generation":4`, "generation is 4"},
		{`"samples":90`, `"samples":-90`, "samples is -90"},
		{`"evicted_samples":10`, `"evicted_samples":91`, "evicted_samples is 91"},
		{`"steps":7`, `"steps":-7`, "steps is -7"},
		{`"steps":7`, `"steps":9223372036854775808`, "steps"},
		{`"pending_samples":2.5`, `"pending_samples":1e300`, "pending_samples is 1e+300"},
		{`"pending_samples":2.5`, `"pending_samples":-1`, "pending_samples is -1"},
		{`{`, `[`, "invalid"},
	}
	for _, test := range tests {
		bad := bytes.Replace([]byte(good), []byte(test.old), []byte(test.new), 1)
		_, err := readState(models.Checkpoint{Generation: 3, State: bad})
		require.ErrorContains(t, err, test.want)
	}
}

// FuzzState: every accepted state is one that a run can have, and it is written and read back
// unchanged.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"generation":3,"samples":90,"evicted_samples":10,"steps":7,"pending_samples":2.5,"backend":"go"}`), 3)
	f.Add([]byte(`{"generation":-3}`), -3)
	f.Fuzz(func(t *testing.T, data []byte, generation int) {
		s, err := readState(models.Checkpoint{Generation: generation, State: data})
		if err != nil {
			return
		}
		written, err := json.Marshal(s)
		require.NoError(t, err)
		again, err := readState(models.Checkpoint{Generation: generation, State: written})
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}
