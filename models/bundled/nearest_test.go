package bundled

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/models/card"
)

// TestNearest: each game string has the model that differs in the fewest options.
func TestNearest(t *testing.T) {
	for game, want := range map[string]string{
		"coerceo":                                    "coerceo",
		"coerceo:price=1":                            "coerceo",
		"coerceo:win=short":                          "coerceo",
		"coerceo:win=competitive":                    "coerceo:win=competitive",
		"coerceo:win=competitive,price=1":            "coerceo:win=competitive",
		"coerceo:repetition=0,maxplies=300":          "coerceo",
		"shacru:maxturns=100":                        "shacru",
		"azacru:noprogress=0":                        "azacru",
		"azacru:players=3,noprogress=0":              "azacru:players=3",
		"azacru:players=4,noprogress=0":              "azacru:players=4",
		"shacru:players=4,maxturns=100":              "shacru:players=4",
		"pacru:meeting=9":                            "pacru",
		"pacru:players=3,meeting=9":                  "pacru:players=3",
		"pacru:players=4,noprogress=0,maxturns=1000": "pacru:players=4",
		"connect4":                                   "connect4",
		"mnk:m=15,n=15,k=5":                          "mnk:m=15,n=15,k=5",
	} {
		g, err := games.New(game)
		require.NoError(t, err)
		m, err := Nearest(g, games.New)
		require.NoError(t, err, game)
		require.Equal(t, want, m.Card.Game, game)
	}
	for _, game := range []string{"mnk", "connect4:planes=stones", "mnk:m=13,n=13,k=5"} {
		g, err := games.New(game)
		require.NoError(t, err)
		_, err = Nearest(g, games.New)
		require.ErrorIs(t, err, ErrNone, game)
		require.ErrorContains(t, err, "for "+game+" (")
	}
}

// TestNearestOfDamaged: a model that cannot be read or whose game is unknown is an error, not
// skipped.
func TestNearestOfDamaged(t *testing.T) {
	g, err := games.New("coerceo:price=1")
	require.NoError(t, err)
	files := folder(t, "coerceo")
	files[card.File] = cardFor(t, "shacru")
	_, err = nearest(foldersOf(map[string]map[string][]byte{"coerceo": files}), g, games.New)
	require.ErrorContains(t, err, "for shacru")
	_, err = nearest(foldersOf(map[string]map[string][]byte{"chess": {card.File: cardFor(t, "chess")}}), g, games.New)
	require.ErrorContains(t, err, `unknown game "chess"`)
}
