package train_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/selfplay"
	"tiro/train"
)

// Games are broken off once the games before have told the level; the level of
// a generation is what its predecessors' games were measured to be.
func TestResignationInARun(t *testing.T) {
	dir := t.TempDir()
	run(t, options(dir, 8))
	told, err := train.ReadMetrics(dir)
	require.NoError(t, err)
	require.Zero(t, told[0].Resign.Level, "nothing was measured yet")
	require.Zero(t, told[0].Endings[selfplay.Resignation])
	resigned := 0
	for _, m := range told {
		n := m.Endings[selfplay.Resignation]
		if m.Resign.Level == 0 {
			require.Zero(t, n)
		}
		require.LessOrEqual(t, n, 40-40/10, "some are played on")
		require.LessOrEqual(t, m.Resign.Wrong, m.Resign.Games)
		resigned += n
	}
	require.Positive(t, resigned)

	// What was measured is forgotten where no games are broken off.
	require.Positive(t, told[len(told)-1].Resign.Level)
	o := options(dir, 10)
	o.Config.Selfplay.Resign.Moves = 0
	run(t, o)
	told, err = train.ReadMetrics(dir)
	require.NoError(t, err)
	require.Positive(t, told[8].Resign.PlayOn)
	require.Zero(t, told[8].Endings[selfplay.Resignation])
	require.Equal(t, selfplay.Decided{}, told[9].Resign)
}
