package host

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/play"
)

// TestRecord: the record of an unfinished, resigned or finished game can be read back.
func TestRecord(t *testing.T) {
	for _, c := range []struct {
		name   string
		moves  []string
		resign bool
		result string
	}{
		{"unfinished", []string{"b2"}, false, "*"},
		{"resigned", []string{"b2"}, true, "1-0"},
		{"over", []string{"b2", "a1", "a2", "a3", "c2"}, false, "1-0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := games.New("mnk")
			require.NoError(t, err)
			g, err := newGame("game0001", &Offer{Game: "mnk"}, rules, []string{Human, Human})
			require.NoError(t, err)
			playAll(t, g, c.moves...)
			if c.resign {
				require.NoError(t, g.resign())
			}
			text := g.Record().PGN()
			require.Contains(t, string(text), "[White \"human\"]\n[Black \"human\"]\n[Result \""+c.result+"\"]\n")
			read, err := play.ReadRecord(rules, text)
			require.NoError(t, err)
			require.Equal(t, g.History, read.History)
			_, resigned := read.Table().Resigned()
			require.Equal(t, c.resign, resigned)
		})
	}
}
