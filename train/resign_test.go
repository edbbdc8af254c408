package train_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/rundir"
	"tiro/selfplay"
)

// TestResignationInARun: games are resigned once earlier games have calibrated the threshold.
func TestResignationInARun(t *testing.T) {
	dir := t.TempDir()
	run(t, options(dir, 8))
	metrics, err := rundir.At(disk.OS{}, dir).Metrics()
	require.NoError(t, err)
	require.Zero(t, metrics[0].Resign.Threshold, "not calibrated yet")
	require.Zero(t, metrics[0].Endings[selfplay.Resignation])
	resigned := 0
	for _, m := range metrics {
		n := m.Endings[selfplay.Resignation]
		if m.Resign.Threshold == 0 {
			require.Zero(t, n)
		}
		require.LessOrEqual(t, n, 40-40/10, "some games are played to the end")
		require.LessOrEqual(t, m.Resign.FalsePositives, m.Resign.WouldResign)
		resigned += n
	}
	require.Positive(t, resigned)

	// Changed settings apply from the next game on: the threshold is recalibrated on the games in
	// the window, and is zero if no games are resigned.
	require.Positive(t, metrics[len(metrics)-1].Resign.Threshold)
	next := func(change func(*selfplay.Resign)) selfplay.Calibration {
		o := options(copyOf(t, dir), 9)
		change(&o.Config.Selfplay.Resign)
		run(t, o)
		metrics, err := rundir.At(disk.OS{}, o.Dir).Metrics()
		require.NoError(t, err)
		require.Len(t, metrics, 9)
		return metrics[8].Resign
	}
	was := next(func(*selfplay.Resign) {})
	now := next(func(r *selfplay.Resign) { r.MaxFalsePositiveRate = 0.05 })
	require.Positive(t, was.Threshold)
	require.Zero(t, now.Threshold, "too few games for this certainty")
	require.Equal(t, selfplay.Calibration{}, next(func(r *selfplay.Resign) { r.ConsecutiveMoves = 0 }))
}
