package study

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/play"
	"tiro/selfplay"
)

// randomPGN returns a random game as PGN, which ends early after the given number of actions.
func randomPGN(t *testing.T, name string, seed uint64, most int) []byte {
	game, err := games.New(name)
	require.NoError(t, err)
	table := play.NewTable(game, slices.Repeat([]string{play.Human}, game.Spec().Players), game.New())
	rng := env.NewRand(seed)
	for len(table.History) < most && !table.Over() {
		legal := table.State().Legal(nil)
		table.Play(legal[rng.IntN(len(legal))])
	}
	r := table.Record()
	if !table.Over() {
		v := env.WinFor(0, game.Spec().Players)
		r.Payoffs, r.Ending = v[:game.Spec().Players], play.Resignation
	}
	r.Opening = 1
	return r.PGN()
}

// TestGivenGames: games of every kind become samples of the moves played, which an episode
// file holds and from which PGN is written again.
func TestGivenGames(t *testing.T) {
	for _, name := range []string{"mnk", "connect4", "coerceo", "go:size=5", "othello:size=6", "pacru", "pacru:players=3", "shacru:players=4"} {
		t.Run(name, func(t *testing.T) {
			text := slices.Concat(randomPGN(t, name, 1, 20), randomPGN(t, name, 2, 4000))
			stored, err := ReadGames(text, games.New)
			require.NoError(t, err)
			g, err := GivenGames("x/games.pgn", stored)
			require.NoError(t, err)
			require.Equal(t, "games.pgn", g.File)
			require.Len(t, g.Episodes, 2, g.Left)

			var file bytes.Buffer
			header := selfplay.NewHeader(stored.Rules.Spec(), 1, 1, selfplay.ByOthers)
			encoded, err := selfplay.EncodeAll(g.Episodes)
			require.NoError(t, err)
			require.NoError(t, selfplay.Write(&file, header, encoded))
			_, again, err := selfplay.Read(bytes.NewReader(file.Bytes()), games.New)
			require.NoError(t, err)
			for i, e := range again {
				played := stored.Games[i]
				require.Equal(t, g.Episodes[i].Samples, e.Samples)
				require.Equal(t, played.History, e.Actions)
				require.Equal(t, 1, e.Samples[0].Ply, "the opening is not learned")
				require.Equal(t, uint16(played.History[1]), e.Samples[0].Policy[0].Action)
				require.InDelta(t, played.Payoffs[0], e.Samples[0].Value[0], 1e-4)
			}
			shown, err := ReadGames(file.Bytes(), games.New)
			require.NoError(t, err)
			for i, s := range shown.Games {
				read, err := play.ReadRecord(stored.Rules, s.PGN())
				require.NoError(t, err)
				require.Equal(t, stored.Games[i].History, read.History)
				require.Equal(t, stored.Games[i].Payoffs, read.Payoffs)
				require.Equal(t, 1, read.Opening)
			}
		})
	}
}
