package connect4

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/envtest"
)

func FuzzPositions(f *testing.F) { envtest.FuzzPositions(f, newGame(f, "connect4")) }

func FuzzMoves(f *testing.F) { envtest.FuzzMoves(f, newGame(f, "connect4")) }

// FuzzFromMoves: a string of columns gives the same position as playing them, or is
// rejected.
func FuzzFromMoves(f *testing.F) {
	for _, moves := range []string{"", "1", "4444444", "44444433", "1212121", "0", "8", "4 4"} {
		f.Add(moves)
	}
	f.Fuzz(func(t *testing.T, moves string) {
		s, err := FromMoves(moves)
		if err != nil {
			return
		}
		require.Empty(t, strings.Trim(moves, "1234567"))
		stones := strings.Count(s.Position(), "x") + strings.Count(s.Position(), "o")
		require.Equal(t, len(moves), stones)
		var again State
		require.NoError(t, again.SetPosition(s.Position()))
		require.Equal(t, *s, again)
	})
}
