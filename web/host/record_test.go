package host

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/play"
)

// TestRecord: a game that goes on, is given up or is over can be read again as text.
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
			require.NoError(t, g.replay(c.moves))
			if c.resign {
				require.NoError(t, g.resign(len(c.moves)))
			}
			text := g.Record().Text()
			require.Contains(t, string(text), "\nplayers: player 1 (human), player 2 (human)\nresult: "+c.result+"\n")
			_, history, err := play.ReadRecord(rules, text)
			require.NoError(t, err)
			require.Equal(t, g.History, history)
		})
	}
}

// TestRecordWithinATurn: the part of a turn that has been played is left out, since it
// cannot be read again.
func TestRecordWithinATurn(t *testing.T) {
	rules, err := games.New("pacru")
	require.NoError(t, err)
	g, err := newGame("game0001", &Offer{Game: "pacru"}, rules, []string{Human, Human})
	require.NoError(t, err)
	whole, parts := 0, 0 // actions of complete turns, and positions within one
	for range 12 {
		g.add(g.State().Legal(nil)[0])
		if g.State().(env.Turner).LastTurn() != "" {
			whole = len(g.History)
		} else {
			parts++
		}
		_, history, err := play.ReadRecord(rules, g.Record().Text())
		require.NoError(t, err)
		require.Equal(t, g.History[:whole], history)
	}
	require.NotZero(t, whole)
	require.Greater(t, parts, 0, "some ended within a turn")
}
