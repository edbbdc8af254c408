package train_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/rundir"
	"tiro/selfplay"
)

// Games are broken off once the games before have told the level; the level of
// a generation is what its predecessors' games were measured to be.
func TestResignationInARun(t *testing.T) {
	dir := t.TempDir()
	run(t, options(dir, 8))
	told, err := rundir.At(disk.OS{}, dir).Metrics()
	require.NoError(t, err)
	require.Zero(t, told[0].Resign.Threshold, "nothing was measured yet")
	require.Zero(t, told[0].Endings[selfplay.Resignation])
	resigned := 0
	for _, m := range told {
		n := m.Endings[selfplay.Resignation]
		if m.Resign.Threshold == 0 {
			require.Zero(t, n)
		}
		require.LessOrEqual(t, n, 40-40/10, "some are played on")
		require.LessOrEqual(t, m.Resign.FalsePositives, m.Resign.WouldResign)
		resigned += n
	}
	require.Positive(t, resigned)

	// Settings that were changed count from the next game on: the level is measured
	// again, by the games in the window, and forgotten where none are broken off.
	require.Positive(t, told[len(told)-1].Resign.Threshold)
	same, careful, never := t.TempDir(), t.TempDir(), t.TempDir()
	for _, to := range []string{same, careful, never} {
		require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	}
	next := func(dir string, change func(*selfplay.Resign)) selfplay.Calibration {
		o := options(dir, 9)
		change(&o.Config.Selfplay.Resign)
		run(t, o)
		told, err := rundir.At(disk.OS{}, dir).Metrics()
		require.NoError(t, err)
		require.Len(t, told, 9)
		return told[8].Resign
	}
	was := next(same, func(*selfplay.Resign) {})
	now := next(careful, func(r *selfplay.Resign) { r.MaxFalsePositiveRate = 0.2 })
	require.Positive(t, was.Threshold)
	require.Zero(t, now.Threshold, "too few games to be so sure")
	require.Equal(t, selfplay.Calibration{}, next(never, func(r *selfplay.Resign) { r.ConsecutiveMoves = 0 }))
}
