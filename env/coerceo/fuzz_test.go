package coerceo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

// every returns a game of each variant.
func every(t testing.TB) []env.Game {
	games := make([]env.Game, len(variants))
	for i, name := range variants {
		games[i] = newGame(t, name)
	}
	return games
}

func FuzzPositions(f *testing.F) { envtest.FuzzPositions(f, every(f)...) }

func FuzzMoves(f *testing.F) { envtest.FuzzMoves(f, every(f)...) }

// FuzzParse: an accepted position string is unchanged after parsing and formatting.
func FuzzParse(f *testing.F) {
	for i, p := range lines[goldenPosition](f, "positions.jsonl") {
		if i%50 == 0 {
			f.Add(p.Pos, p.Cost)
		}
	}
	f.Fuzz(func(t *testing.T, text string, price int) {
		p, err := Parse(text, price)
		if err != nil {
			return
		}
		require.Equal(t, text, p.String())
		require.Equal(t, text, p.Record().Position)
	})
}
