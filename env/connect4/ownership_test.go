package connect4

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestOwnership examines a game that x wins in the first column.
func TestOwnership(t *testing.T) {
	end, err := FromMoves("1212121")
	require.NoError(t, err)
	for moves, want := range map[string][4]string{ // the lower rows, from the top
		"":     {"0222222", "0122222", "0122222", "0122222"},
		"1":    {"1222222", "1022222", "1022222", "-022222"},
		"1212": {"0222222", "0122222", "--22222", "--22222"},
	} {
		earlier, err := FromMoves(moves)
		require.NoError(t, err)
		got := make([]int8, Width*Height)
		require.Equal(t, env.Value{35. / 42, -35. / 42}, end.Ownership(got, earlier))
		for i, class := range got {
			row := "2222222"
			if r := i / Width; r < 4 {
				row = want[3-r]
			}
			require.Equal(t, "-012"[class+1], row[i%Width], "%q, cell %d", moves, i)
		}
	}
}
