package format

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestTextReader(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain", "4455 3\n", "4455 3\n"},
		{"empty", "", ""},
		{"a mark", "\ufeff4455 3", "4455 3"},
		{"only a mark", "\ufeff", ""},
		{"half a mark", "\xef\xbb", "\xef\xbb"},
		{"like a mark", "\uf900", "\uf900"},
		{"Latin-1", "\xffabc\n", "\xffabc\n"},
		{"a second mark", "\ufeff\ufeff", "\ufeff"},
	} {
		for _, slow := range []bool{false, true} {
			var r io.Reader = strings.NewReader(test.in)
			if slow {
				r = iotest.OneByteReader(r)
			}
			got, err := io.ReadAll(TextReader(r))
			require.NoError(t, err, test.name)
			require.Equal(t, test.want, string(got), test.name)
		}
	}
	for _, utf16 := range []string{"\xff\xfe4\x00", "\xfe\xff\x004"} {
		_, err := io.ReadAll(TextReader(strings.NewReader(utf16)))
		require.ErrorIs(t, err, errUTF16)
	}
}
