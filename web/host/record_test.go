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
		{"goes on", []string{"b2"}, false, "*"},
		{"given up", []string{"b2"}, true, "* (player 2 resigned)"},
		{"over", []string{"b2", "a1", "a2", "a3", "c2"}, false, "1-0 (k-in-row)"},
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
			text := g.Record().Text()
			require.Contains(t, string(text), "\nplayers: player 1 (human), player 2 (human)\nresult: "+c.result+"\n")
			read, _, err := play.ReadRecord(rules, text)
			require.NoError(t, err)
			require.Equal(t, g.History, read.History)
			_, resigned := read.Resigned()
			require.Equal(t, c.resign, resigned)
		})
	}
}
