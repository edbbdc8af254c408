package play

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// TestSGF: games survive a round trip through SGF.
func TestSGF(t *testing.T) {
	for _, name := range []string{"go", "go:size=5,komi=0.5", "go:size=19", "go:size=13,handicap=5", "othello", "othello:size=6"} {
		t.Run(name, func(t *testing.T) {
			game := newGame(t, name)
			table := NewTable(game, []string{`a]b\c`, Human}, game.New())
			rng := env.NewRand(1)
			for range 60 {
				if legal := table.State().Legal(nil); len(legal) > 0 {
					table.Play(legal[rng.IntN(len(legal))])
				}
			}
			text, err := table.Record().SGF()
			require.NoError(t, err)
			again, ok := RecordGame(text)
			require.True(t, ok)
			plain, _, _ := strings.Cut(game.Spec().Name, ",handicap")
			require.Equal(t, plain, again)
			rules := newGame(t, again)
			read, err := ReadRecord(rules, text)
			require.NoError(t, err)
			require.Equal(t, table.History, read.History)
			require.Equal(t, table.State().String(), read.Table().State().String())
			require.Equal(t, table.Seats, read.Seats)
			own, err := ReadRecord(game, text)
			require.NoError(t, err)
			require.Equal(t, table.History, own.History)
			stored, err := ReadStored(text, games.New)
			require.NoError(t, err)
			require.Equal(t, table.History, stored.Games[0].History)
			second, err := stored.Games[0].SGF()
			require.NoError(t, err)
			require.Equal(t, string(text), string(second))
		})
	}
}

// TestReadSGF reads games in the style of other programs.
func TestReadSGF(t *testing.T) {
	for _, test := range []struct{ name, text, game, position string }{
		{"of GoGui", "(;FF[4]CA[UTF-8]AP[GoGui:1.5.1]SZ[5]\nKM[0.5]DT[2020-01-01]\n;B[cc]BL[1]C[good]\n;W[cb]WL[2]\n;B[]\n)", "go:size=5,komi=0.5", "...../..O../..X../...../..... w"},
		{"handicap", "(;GM[1]SZ[7]KM[0]HA[2]AB[cc][ee];W[cd])", "go:size=7,komi=0", "......./......./..X..../..O..../....X../......./....... b"},
		{"an area", "(;SZ[5]KM[7]AB[aa:ba]AW[ae]PL[B])", "go:size=5", "XX.../...../...../...../O.... b"},
		{"Black twice", "(;SZ[5]KM[7];B[aa];B[ba])", "go:size=5", "XX.../...../...../...../..... w"},
		{"long names", "(;GaMe[1]SiZe[5]KoMi[7];Black[aa];White[tt])", "go:size=5", "X..../...../...../...../..... b"},
		{"Othello", "(;GM[2]PB[a];B[dc];W[cc];B[cd])", "othello", ""},
		{"Othello with its first discs", "(;GM[2]SZ[6]AB[dc][cd]AW[cc][dd]PL[B];B[bc])", "othello:size=6", "-------------XXX----XO-------------- O"},
		{"a comment before White's first move", "(;GM[2]SZ[6]AB[dc][cd]AW[cc][dd];C[White begins];W[ec])", "othello:size=6", "--------------OOO---XO-------------- X"},
		{"no size and komi", "(;B[pd])", "go:size=19", ""},
		{"a move in the root", "(;SZ[5]KM[7]B[aa];W[ee])", "go:size=5", "X..../...../...../...../....O b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stored, err := ReadStored([]byte(test.text), games.New)
			require.NoError(t, err)
			require.Equal(t, test.game, stored.Rules.Spec().Name)
			g := stored.Games[0]
			if test.position != "" {
				require.Equal(t, test.position, env.After(stored.Rules, g.Start, g.History...).String())
			}
		})
	}
	for text, want := range map[string]string{
		"(;GM[3]SZ[8])":                    "GM[3]",
		"(;GM[2];B[aa])":                   "node 2",
		"(;GM[2]AB[aa])":                   "four discs",
		"(;SZ[9:13])":                      "SZ[9:13]",
		"(;SZ[3])":                         "size",
		"(;SZ[5]KM[x])":                    "KM[x]",
		"(;SZ[5]KM[-1])":                   "komi",
		"(;SZ[5];B[ff])":                   "node 2",
		"(;SZ[5];B[cc];W[cc])":             "node 3",
		"(;SZ[5];B[cc];AB[aa])":            "node 3",
		"(;SZ[5];B[cc];AE[cc])":            "node 3",
		"(;SZ[5]B[ff];W[aa])":              "node 1",
		"(;SZ[5]AB[aa][aa])":               "AB[aa]",
		"(;SZ[5]AB[])":                     "AB[]",
		"(;SZ[5]AB[ab:zz])":                "AB[ab:zz]",
		"(;SZ[5]PL[])":                     "SGF",
		"(;SZ[5]AW[ba][ab]AB[aa])":         "liberty",
		"(;SZ[5];B[];W[];B[aa])":           "node 4",
		"(;SZ[5];B[aa":                     "ends",
		"(;SZ[5]AB[\xff\xff];W[\x00\x01])": "AB",
	} {
		_, err := ReadStored([]byte(text), games.New)
		require.ErrorContains(t, err, want, text)
	}
	_, err := ReadRecord(newGame(t, "go"), []byte("(;SZ[5])"))
	require.ErrorContains(t, err, "go:size=5")
	_, err = ReadRecord(newGame(t, "go:size=7,handicap=2"), []byte("(;SZ[7]KM[7]AB[aa][bb])"))
	require.ErrorContains(t, err, "handicap=2")
	_, err = ReadRecord(newGame(t, "connect4"), []byte("(;SZ[5])"))
	require.ErrorContains(t, err, "connect4")
	_, err = NewTable(newGame(t, "connect4"), people2, newGame(t, "connect4").New()).Record().SGF()
	require.ErrorIs(t, err, ErrNoSGF)
}

// TestSGFGames reads a file of several games.
func TestSGFGames(t *testing.T) {
	text := "(;SZ[5]KM[7]PB[a\xe9];B[aa](;W[bb])(;W[cc]))\n(;SZ[5]KM[7];B[cc])"
	stored, err := ReadStored([]byte(text), games.New)
	require.NoError(t, err)
	require.Len(t, stored.Games, 2)
	require.Len(t, stored.Games[0].History, 2)
	require.Len(t, stored.Games[1].History, 1)
	out, err := stored.Games[0].SGF()
	require.NoError(t, err)
	require.Contains(t, string(out), "PB[aé]")
	starts, err := ReadStarts(stored.Rules, []byte(text))
	require.NoError(t, err)
	require.Len(t, starts, 2)
	_, err = ReadStored([]byte(text+"(;SZ[5]KM[7];B[ff])"), games.New)
	require.ErrorContains(t, err, "SGF: game 2: node 2")
}

var people2 = []string{Human, Human}

// TestSGFResult: the result in the SGF follows from a resignation or from the final position.
func TestSGFResult(t *testing.T) {
	table := NewTable(newGame(t, "go:size=5"), people2, newGame(t, "go:size=5").New())
	require.NoError(t, table.Resign())
	text, err := table.Record().SGF()
	require.NoError(t, err)
	require.Contains(t, string(text), "RE[W+R]")
	read, err := ReadRecord(table.Rules, text)
	require.NoError(t, err)
	seat, ok := read.Table().Resigned()
	require.True(t, ok)
	require.Equal(t, env.Player(0), seat)
	table.Rewind(0)
	pass := table.State().Legal(nil)[25]
	table.Play(pass, pass)
	text, err = table.Record().SGF()
	require.NoError(t, err)
	require.Contains(t, string(text), "RE[W+7]")
}
