package ladder

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/format"
	"tiro/net/kernel"
	"tiro/player"
)

// theGame returns a game by its game string.
func theGame(t testing.TB, name string) env.Game {
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

// TestShipped: each ladder of the program can be read, its networks are there, its
// players can be made and are those described, and its fit links them all.
func TestShipped(t *testing.T) {
	folders, err := fs.ReadDir(shipped, "ladders")
	require.NoError(t, err)
	require.Greater(t, len(folders), 5)
	for _, folder := range folders {
		name := strings.Replace(folder.Name(), "-", ":", 1)
		t.Run(name, func(t *testing.T) {
			game := theGame(t, name)
			require.Equal(t, name, game.Spec().Name)
			l, err := Find(game)
			require.NoError(t, err)
			resources := player.Resources{Open: l.opener(game, kernel.Best())}
			for _, p := range l.Players {
				factory, err := p.Factory(game, resources)
				require.NoError(t, err)
				require.Equal(t, p, factory.Spec)
				_, _, err = factory.Remote()
				require.NoError(t, err, "others can make it")
			}
			report, err := Rate(t.Context(), Options{Ladder: l, Game: game, Games: 1, Error: 1, Workers: 1})
			require.NoError(t, err)
			require.Len(t, report.Players, len(l.Players))
			var text bytes.Buffer
			require.NoError(t, format.EncodeJSON(&text, l))
			data, err := fs.ReadFile(l.files, File)
			require.NoError(t, err)
			require.Equal(t, string(data), text.String())
		})
	}
}

// TestShippedSize: ladders are small, a twentieth of the program. The strongest network of a
// ladder is in it, too, so that the model that comes with the program may change.
func TestShippedSize(t *testing.T) {
	size := int64(0)
	require.NoError(t, fs.WalkDir(shipped, ".", func(_ string, d fs.DirEntry, err error) error {
		if info, infoErr := d.Info(); err == nil && infoErr == nil && !d.IsDir() {
			size += info.Size()
		}
		return err
	}))
	require.Less(t, size, int64(3_500_000))
}

// TestNoLadder: a game without a ladder has a single reference, from which its players are
// rated.
func TestNoLadder(t *testing.T) {
	game := theGame(t, "mnk:m=4,n=4,k=4")
	l, err := Find(game)
	require.NoError(t, err)
	o := small(t)
	o.Game, o.Ladder = game, l
	_, err = Rate(t.Context(), o)
	require.ErrorContains(t, err, defaultAnchor)
	o.Candidates = players(t, game, "mcts:40", "random")
	o.Games = 24
	report, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, defaultAnchor, report.Players[2].Name)
	require.Less(t, report.Players[1].Elo.High, report.Players[0].Elo.High)

	o.Candidates, o.Dir = o.Candidates[:1], t.TempDir() // who has no other opponent than the anchor
	report, err = Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, 24, report.Players[0].Games)
}

func TestOtherWeights(t *testing.T) {
	game := theGame(t, "connect4")
	l, err := Find(game)
	require.NoError(t, err)
	for i, p := range l.Players {
		if p.Weights != "" {
			l.Players[i].Weights = strings.Repeat("a", 64)
			_, err := l.opener(game, kernel.Backend{})(l.Players[i])
			require.ErrorContains(t, err, l.Players[i].Weights)
			return
		}
	}
	t.Fatal("no network")
}
