package card_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/models/card"
)

// FuzzRead: an accepted card is written unchanged, and its page is complete.
func FuzzRead(f *testing.F) {
	text := golden(f, "card.json")
	f.Add([]byte(text))
	f.Add([]byte(text[:len(text)/2]))
	f.Add([]byte(strings.ReplaceAll(text, "null", "1e308")))
	f.Add([]byte(strings.ReplaceAll(text, "mcts", `|\\`)))
	f.Add([]byte(`{"format":5,"what":"tiro card","curve":[{}],"ratings":[{}]}`))
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
