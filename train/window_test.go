package train

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/recipe"
	"tiro/selfplay"
)

// TestGrowth: the games of a generation are counted while they are played, before
// and after they finish.
func TestGrowth(t *testing.T) {
	o := Options{Game: gameOf(t, "mnk"), Config: recipe.Default("mnk")}
	o.Config.Memory = programMemory + 4<<20
	const room = 1 << 20
	w := newWindow(&o, 0)
	wrong := "of which 1.00MiB are for games, but those of one generation take about "

	g := w.expect(10)
	require.NoError(t, g.grow(room))
	require.ErrorContains(t, g.grow(1), wrong)

	e := selfplay.Episode{Samples: make([]selfplay.Sample, 100)}
	one := e.Bytes() + w.buffer.RecordBytes(&e)
	g = w.expect(1000)
	require.NoError(t, g.grow(e.Bytes()))
	require.NoError(t, g.finish(&e))
	require.EqualValues(t, []int64{one, 0}, []int64{g.bytes, g.underway})
	for range forecastAfter - 2 {
		require.NoError(t, g.add(&e))
	}
	require.ErrorContains(t, g.add(&e), wrong, "all will not fit")

	g = w.expect(room / int(one))
	for range room / one {
		require.NoError(t, g.add(&e), "few enough")
	}
	require.ErrorContains(t, g.add(&e), wrong)

	require.NoError(t, w.expect(1<<30).fits(), "nothing is known")
	w.mean = float64(one)
	require.NoError(t, w.expect(room/int(one)).fits())
	require.ErrorContains(t, w.expect(1+room/int(one)).fits(), wrong)
}
