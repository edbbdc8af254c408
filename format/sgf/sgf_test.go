package sgf

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a game", "(;FF[4]GM[1]SZ[9];B[ee];W[])", "[[{FF [4]} {GM [1]} {SZ [9]}] [{B [ee]}] [{W []}]]"},
		{"blanks", "\ufeff\n ( ;\tAB [dd]\n[pp]\n;\nB[aa] ) junk", "[[{AB [dd pp]}] [{B [aa]}]]"},
		{"the main line", "(;SZ[9](;B[aa](;W[bb])(;W[cc]))(;B[dd]))(;SZ[5])", "[[{SZ [9]}] [{B [aa]}] [{W [bb]}]]"},
		{"escapes", `(;C[a\]b\\c(;)` + "\\\nd\\\r\ne\\:])", `[[{C [a]b\c(;)de:]}]]`},
		{"long names", "(;SiZe[9];Black[aa])", "[[{SZ [9]}] [{B [aa]}]]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			nodes, err := Main([]byte(test.text))
			require.NoError(t, err)
			require.Equal(t, test.want, fmt.Sprint(nodes))
		})
	}
	for text, line := range map[string]string{
		"": "1", "()": "1", "(;": "1", "(;\nB": "2", "(;B[aa": "1", "(;\n\nB)": "3", "(;B[a]\n7)": "2", "(;[a])": "1", `(;B[\`: "1", "x(;)": "1",
	} {
		_, err := Main([]byte(text))
		require.ErrorContains(t, err, "line "+line, text)
	}
}

// FuzzMain: a main line is unchanged after writing and reading.
func FuzzMain(f *testing.F) {
	f.Add([]byte(`(;C[a\]b\\c:]AB[dd][pp](;B[aa];W[]))`))
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := Main(data)
		if err != nil {
			return
		}
		for _, node := range nodes {
			for _, p := range node {
				if p.Name == "" {
					return // a name without capitals
				}
			}
		}
		again, err := Main(Write(nodes))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(nodes), fmt.Sprint(again))
	})
}
