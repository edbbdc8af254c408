package cli

import (
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/cluster"
	"tiro/disk"
	"tiro/env/games"
	"tiro/player"
)

// TestGamesByDefault: the default number of games never exceeds the limit for workers, and each
// opening is played from every seat.
func TestGamesByDefault(t *testing.T) {
	for _, test := range []struct {
		name, game string
		players    int
		sprt       *arena.SPRT
		want       int
	}{
		{"no test", "connect4", 2, nil, 100},
		{"no test, three players", "pacru:players=3", 3, nil, 102},
		{"a short test", "connect4", 2, &arena.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}, 440},
		{"a long test", "connect4", 2, &arena.SPRT{Elo0: 0, Elo1: 1, Alpha: 0.05, Beta: 0.05}, cluster.MaxMatchGames},
		{"a long test, three players", "pacru:players=3", 3, &arena.SPRT{Elo0: 0, Elo1: 1, Alpha: 0.05, Beta: 0.05}, cluster.MaxMatchGames / 6 * 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			game, err := games.New(test.game)
			require.NoError(t, err)
			m := arena.Match{Game: game, Players: slices.Repeat([]player.Factory{player.Must(nil, "random")}, test.players), Workers: 1, SPRT: test.sprt}
			m.Games = gamesByDefault(&m)
			require.Equal(t, test.want, m.Games)
			require.NoError(t, m.Validate())
		})
	}
}

// TestTooManyGamesForWorkers: a match with more games than workers accept is refused at once,
// with an error that names the flag.
func TestTooManyGamesForWorkers(t *testing.T) {
	cmd := newRoot(shippedGames, disk.OS{})
	cmd.SetArgs([]string{"match", "connect4", "--a", "random", "--b", "random", "--games", "1048578", "--listen", "127.0.0.1:0"})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	require.ErrorContains(t, cmd.Execute(), "--games must be at most 1048576")
}
