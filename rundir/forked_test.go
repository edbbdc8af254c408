package rundir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

// TestForked: a line without Machine, which a kill may leave, is none of another run.
func TestForked(t *testing.T) {
	other, own := &rundir.Machine{Forked: true}, &rundir.Machine{Backend: "go"}
	for want, machines := range map[int][]*rundir.Machine{
		0: {nil, own},
		1: {other, own, other},
		2: {other, other, nil, own},
	} {
		var metrics []rundir.Metrics
		for i, m := range machines {
			metrics = append(metrics, rundir.Metrics{Generation: i + 1, Machine: m})
		}
		generation, newest := rundir.Forked(metrics)
		require.Equal(t, want, generation)
		require.Equal(t, want, newest.Generation)
	}
	generation, _ := rundir.Forked(nil)
	require.Zero(t, generation)
}
