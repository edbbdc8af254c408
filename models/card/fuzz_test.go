package card_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/models/card"
)

// FuzzRead: a card is refused, or written again as it was read, and its
// Markdown is whole.
func FuzzRead(f *testing.F) {
	text := golden(f, "card.json")
	f.Add([]byte(text))
	f.Add([]byte(text[:len(text)/2]))
	f.Add([]byte(strings.ReplaceAll(text, "null", "1e308")))
	f.Add([]byte(strings.ReplaceAll(text, "mcts", `|\\`)))
	f.Add([]byte(`{"format":1,"what":"tiro card","curve":[{}],"ratings":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := card.Read(data)
		if err != nil {
			return
		}
		again, err := card.Read([]byte(written(t, c)))
		require.NoError(t, err)
		require.Equal(t, written(t, c), written(t, again))
		requireTables(t, c.Markdown())
	})
}

// FuzzReadMatches: matches are refused, or written again as they were read.
func FuzzReadMatches(f *testing.F) {
	c := example(f)
	m := card.Matches{Matches: []card.Match{{
		Pairing: card.Pairing{Tiro: "(devel)", Weights: c.Weights.SHA256, Opponent: "random", Games: 200, Simulations: 1, Backend: "go"},
		Rating:  c.Ratings[0],
	}}}
	var text bytes.Buffer
	require.NoError(f, m.Write(&text))
	f.Add(text.Bytes())
	f.Add([]byte(`{"format":1,"what":"tiro card matches","matches":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := card.ReadMatches(data)
		if err != nil {
			return
		}
		var text bytes.Buffer
		require.NoError(t, m.Write(&text))
		again, err := card.ReadMatches(text.Bytes())
		require.NoError(t, err)
		require.Len(t, again.Matches, len(m.Matches))
		for _, match := range m.Matches {
			found, ok := again.Find(match.Pairing)
			require.True(t, ok)
			require.Equal(t, match.Rating, found)
		}
	})
}
