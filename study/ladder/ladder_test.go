package ladder

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
)

// theGame returns a game by its game string.
func theGame(t testing.TB, name string) env.Game {
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

// TestShipped: each ladder of the program can be read, its networks are there, its
// players can be made, and its fit links them all.
func TestShipped(t *testing.T) {
	names, err := Names()
	require.NoError(t, err)
	require.Contains(t, names, "mnk")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			game := theGame(t, name)
			require.Equal(t, name, game.Spec().Name)
			l, err := Find(game)
			require.NoError(t, err)
			references := l.factories(game, kernel.Best())
			for _, p := range l.Players {
				factory, err := references.player(p)
				require.NoError(t, err)
				player, err := factory()
				require.NoError(t, err)
				require.Equal(t, p.Name, player.Name())
			}
			fit, err := l.Fit()
			require.NoError(t, err)
			require.Zero(t, fit.Elo[l.index(l.Anchor)])
			var text bytes.Buffer
			require.NoError(t, l.Write(&text))
			data, err := l.files(File, MaxBytes)
			require.NoError(t, err)
			require.Equal(t, string(data), text.String(), "as tiro ladder writes it")
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

func TestFindNone(t *testing.T) {
	_, err := Find(theGame(t, "mnk:m=4,n=4,k=4"))
	require.ErrorIs(t, err, ErrNone)
	require.ErrorContains(t, err, "ladder: no ladder for mnk:m=4,n=4,k=4; there are ladders for ")
	require.ErrorContains(t, err, "mnk")
}

// mnk returns the text of the ladder of tic-tac-toe.
func mnk(t testing.TB) string {
	data, err := os.ReadFile(filepath.Join("ladders", "mnk", File))
	require.NoError(t, err)
	return string(data)
}

// TestReadRefuses what Tiro would not have written.
func TestReadRefuses(t *testing.T) {
	text := mnk(t)
	network := `"networks": [{"name": "early", "sha256": "` + strings.Repeat("a", 64) + `", "origin": "tests"}]`
	for _, test := range []struct{ name, old, new, want string }{
		{"another kind", `"tiro ladder"`, `"tiro card"`, "not a file of this kind"},
		{"a newer format", `"format": 1`, `"format": 2`, "written by a newer tiro: format 2, this one reads format 1"},
		{"an unknown field", `"seed": 1`, `"seed": 1, "colour": 2`, `unknown field "colour"`},
		{"another game", `"game": "mnk"`, `"game": "connect4"`, "game: the ladder is for connect4; want mnk"},
		{"another version", `"game_version": 1`, `"game_version": 9`, `game_version is "9"; want 1, the version of the game that this program knows; another ladder is needed`},
		{"no version of the program", `"tiro": "(devel)"`, `"tiro": ""`, `tiro is ""; want a line`},
		{"a long opening", `"opening": 2`, `"opening": 10`, `opening is "10"; want 0 to 9`},
		{"an unknown anchor", `"anchor": "mcts:5"`, `"anchor": "mcts:6"`, `anchor is "mcts:6"; want the name of a player`},
		{"a player twice", `"name": "mcts:2"`, `"name": "random"`, `players[1].name is "random"; want a player that is not there yet`},
		{"a search without a network", `"name": "mcts:2"`, `"name": "mcts:2", "search": ["root=puct"]`, `players[1].search is "1"; want settings for a network, and for nobody else`},
		{"an unknown network", `"name": "mcts:2"`, `"name": "mcts:2", "weights": "abc", "search": ["root=puct"]`, `players[1].weights is "abc"; want the sha256 of a network of the ladder`},
		{"half a search", `"name": "mcts:2"`, `"name": "mcts:2", "weights": "abc", "search": ["root=puct"]`, "players[1].search.simulations is 0; want 1 or more"},
		{"a name that is a path", `"networks": []`, strings.Replace(network, "early", "../early", 1), `networks[0].name is "../early"; want letters, digits and hyphens`},
		{"a bad checksum", `"networks": []`, strings.Replace(network, "aa", "a", 1), "networks[0].sha256 is"},
		{"a match of nobody", `"a": "random"`, `"a": "greedy"`, `matches[0].a is "greedy"; want the name of a player`},
		{"a match against itself", `"b": "mcts:2"`, `"b": "random"`, `matches[0].b is "random"; want the name of another player`},
		{"games of three seats", `"games": "`, `"games": "0/1/2 `, `group 0 is "0/1/2"; want 2 games`},
		{"a game of nobody", `"games": "`, `"games": "0/ `, "group 0: a game without winners"},
		{"a third seat", `"games": "`, `"games": "0/2 `, `group 0: winners "2"; want seats from 0 to 1 in order`},
		{"no games", `"games": "`, `"games": "", "x": "`, "unknown field"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, text, test.old)
			_, err := Read([]byte(strings.Replace(text, test.old, test.new, 1)), fstest.MapFS{}, onlyGame(theGame(t, "mnk")))
			require.ErrorContains(t, err, "ladder: read: ")
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := Read(make([]byte, MaxBytes+1), nil, nil)
	require.ErrorContains(t, err, "want at most")
}

// TestOpen: a folder without a ladder, and networks that are not those rated.
func TestOpen(t *testing.T) {
	game := theGame(t, "mnk")
	dir := t.TempDir()
	_, err := Open(disk.OS{}, dir, game)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.Mkdir(filepath.Join(dir, File), 0o777))
	_, err = Open(disk.OS{}, dir, game)
	require.ErrorIs(t, err, disk.ErrNotFile)

	weights := net.NewWeights(game.Spec(), net.Config{Channels: 4, Blocks: 1, OutcomeChannels: 2}, env.NewRand(1))
	c := mcts.Default()
	c.RootNoise = false
	p, err := NewNetworkPlayer("early,sims=32", weights, c, 0)
	require.NoError(t, err)
	l := &Ladder{Game: "mnk", Networks: []Network{{"early", p.Weights, "tests"}}, Players: []Player{p}, files: filesOf(fstest.MapFS{}), spec: game.Spec()}
	_, err = l.factories(game, kernel.Backend{}).player(p)
	require.ErrorContains(t, err, "ladder: mnk: network early: bundled: no model for mnk")
	l.files = filesOf(fstest.MapFS{"early.safetensors": {Data: []byte("other")}})
	_, err = l.factories(game, kernel.Backend{}).player(p)
	require.ErrorContains(t, err, "early.safetensors holds other weights than those that were rated; want SHA-256 "+p.Weights)
	var data bytes.Buffer
	require.NoError(t, weights.Write(&data))
	l.files = filesOf(fstest.MapFS{"early.safetensors": {Data: data.Bytes()}})
	factory, err := l.factories(game, kernel.Backend{}).player(p)
	require.NoError(t, err)
	player, err := factory()
	require.NoError(t, err)
	require.Equal(t, "early,sims=32", player.Name())

	c.RootNoise = true
	_, err = NewNetworkPlayer("x", weights, c, 0)
	require.ErrorContains(t, err, "root_noise is on; want a search of full strength")
}

// TestSearchSettings: settings say the whole search, whatever the defaults are.
func TestSearchSettings(t *testing.T) {
	c := mcts.Default()
	c.RootNoise, c.Simulations, c.PUCT.CPUCT = false, 7, 0
	settings, err := arena.SearchSettings(c)
	require.NoError(t, err)
	require.Contains(t, settings, "simulations=7")
	again, _, err := searchConfig(settings)
	require.NoError(t, err)
	require.Equal(t, c, again)
	_, _, err = searchConfig([]string{"simulations=many"})
	require.Error(t, err)
	_, _, err = searchConfig(make([]string, 1000))
	require.ErrorContains(t, err, "1000 settings; want at most 100")
	_, _, err = searchConfig([]string{strings.Repeat("x", 1000)})
	require.ErrorContains(t, err, "is no setting")
}

// FuzzRead: a ladder is refused, or written again as it was read and rated.
func FuzzRead(f *testing.F) {
	text := mnk(f)
	game := theGame(f, "mnk")
	f.Add([]byte(text))
	f.Add([]byte(text[:len(text)/2]))
	f.Add([]byte(`{"format":1,"what":"tiro ladder","game":"mnk","players":[{}],"matches":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Read(data, fstest.MapFS{}, onlyGame(game))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		require.NoError(t, l.Write(&first))
		again, err := Read(first.Bytes(), fstest.MapFS{}, onlyGame(game))
		require.NoError(t, err)
		require.NoError(t, again.Write(&second))
		require.Equal(t, first.String(), second.String())
		_, _ = l.Fit() // which may find that no games link the players
	})
}
