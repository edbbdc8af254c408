package host

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
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
			g, err := newGame("game0001", &Offer{Game: "mnk"}, rules, []string{Human, Human}, (*Offer).has)
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

// TestEnd: the page learns the places of all seats, the reason, and whether SGF has the game.
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		game   string
		moves  []string
		resign bool
		ending string
		places []int
		sgf    bool
	}{
		{"mnk", []string{"b2"}, false, "", nil, false},
		{"mnk", []string{"b2", "a1", "a2", "a3", "c2"}, false, "k-in-row", []int{1, 2}, false},
		{"mnk", []string{"b2", "a1", "a2", "c2", "c3", "c1", "b1", "b3", "a3"}, false, "full", []int{1, 1}, false},
		{"mnk", []string{"b2"}, true, "player 2 resigned", []int{1, 2}, false},
		{"go", []string{"e5", "pass", "pass"}, false, "two-passes", []int{1, 2}, true},
	} {
		rules, err := games.New(c.game)
		require.NoError(t, err)
		g, err := newGame("game0001", &Offer{Game: c.game}, rules, []string{Human, Human}, (*Offer).has)
		require.NoError(t, err)
		playAll(t, g, c.moves...)
		if c.resign {
			require.NoError(t, g.resign())
		}
		v := g.view()
		require.Equal(t, c.ending, v.Ending)
		require.Equal(t, c.places, v.Places)
		require.Equal(t, c.sgf, v.SGF)
	}
}

// TestRanking: the rules of a game for three define all places.
func TestRanking(t *testing.T) {
	rules, err := games.New("azacru:players=3")
	require.NoError(t, err)
	g, err := newGame("game0001", &Offer{Game: "azacru:players=3"}, rules, []string{Human, Human, Human}, (*Offer).has)
	require.NoError(t, err)
	random := env.NewRand(1)
	for !g.Over() {
		legal := g.State().Legal(nil)
		g.add(legal[random.IntN(len(legal))])
	}
	places := g.view().Places
	require.Contains(t, places, 1)
	ranking := g.State().(env.Ranker).Ranking()
	for seat, place := range places {
		require.EqualValues(t, ranking[seat], place)
	}
}
