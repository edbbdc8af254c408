package sgf

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// read returns the main lines of all games.
func read(data []byte) (games [][]Node, err error) {
	for nodes, err := range Games(data) {
		if err != nil {
			return games, err
		}
		games = append(games, nodes)
	}
	return games, nil
}

func TestGames(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a game", "(;FF[4]GM[1]SZ[9];B[ee];W[])", "[[[{FF [4]} {GM [1]} {SZ [9]}] [{B [ee]}] [{W []}]]]"},
		{"blanks", "\ufeff\n ( ;\tAB [dd]\n[pp]\n;\nB[aa] ) junk", "[[[{AB [dd pp]}] [{B [aa]}]]]"},
		{"the main line", "(;SZ[9](;B[aa](;W[bb])(;W[cc]))(;B[dd]))", "[[[{SZ [9]}] [{B [aa]}] [{W [bb]}]]]"},
		{"games", "(;SZ[9](;B[aa])(;C[)\\]]))\n(;SZ[5]) (;B[bb])(", "[[[{SZ [9]}] [{B [aa]}]] [[{SZ [5]}]] [[{B [bb]}]]]"},
		{"ISO 8859-1", "(;CA[ISO-8859-1]PB[M\xfcller]PW[Müller])", "[[[{CA [ISO-8859-1]} {PB [Müller]} {PW [Müller]}]]]"},
		{"escapes", `(;C[a\]b\\c(;)` + "\\\nd\\\r\ne\\:])", `[[[{C [a]b\c(;)de:]}]]]`},
		{"long names", "(;SiZe[9];Black[aa])", "[[[{SZ [9]}] [{B [aa]}]]]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			games, err := read([]byte(test.text))
			require.NoError(t, err)
			require.Equal(t, test.want, fmt.Sprint(games))
		})
	}
	for text, line := range map[string]string{
		"": "1", "()": "1", "(;": "1", "(;\nB": "2", "(;B[aa": "1", "(;\n\nB)": "3", "(;B[a]\n7)": "2", "(;[a])": "1", `(;B[\`: "1", "x(;)": "1", "(;)\n(;": "2", "(;(;B[])(;W[": "1",
	} {
		_, err := read([]byte(text))
		require.ErrorContains(t, err, "line "+line, text)
	}
}

// FuzzGames: main lines are unchanged after writing and reading.
func FuzzGames(f *testing.F) {
	f.Add([]byte(`(;C[a\]b\\c:]AB[dd][pp](;B[aa];W[]))`))
	f.Fuzz(func(t *testing.T, data []byte) {
		games, err := read(data)
		if err != nil {
			return
		}
		var text []byte
		for _, nodes := range games {
			for _, node := range nodes {
				for _, p := range node {
					if p.Name == "" {
						return // a name without capitals
					}
				}
			}
			text = append(text, Write(nodes)...)
		}
		again, err := read(text)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(games), fmt.Sprint(again))
	})
}
