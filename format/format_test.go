package format_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/format"
)

var letters = format.Mark{Format: 2, What: "tiro letters"}

func TestCheck(t *testing.T) {
	require.NoError(t, letters.Check(letters))
	require.NoError(t, format.Mark{Format: 1, What: "tiro letters"}.Check(letters), "older ones are read")
	tests := []struct {
		mark format.Mark
		is   error
		want string
	}{
		{format.Mark{Format: 3, What: "tiro letters"}, format.ErrNewer, "written by a newer tiro: format 3, this one reads up to 2"},
		{format.Mark{Format: 2, What: "tiro songs"}, format.ErrForeign, `not a file of this kind by tiro: what is "tiro songs"; want "tiro letters"`},
		{format.Mark{Format: 9}, format.ErrForeign, `not a file of this kind by tiro: what is ""; want "tiro letters"`},
		{format.Mark{What: strings.Repeat("x", 1000)}, format.ErrForeign, `what is "` + strings.Repeat("x", 40) + `…"; want`},
		{format.Mark{What: "tiro letters"}, nil, "format is 0; want 1 to 2"},
		{format.Mark{Format: -1, What: "tiro letters"}, nil, "format is -1; want 1 to 2"},
	}
	for _, test := range tests {
		err := test.mark.Check(letters)
		require.ErrorContains(t, err, test.want)
		for _, is := range []error{format.ErrNewer, format.ErrForeign} {
			require.Equal(t, is == test.is, errors.Is(err, is), "%v", err)
		}
	}
}

func TestCheckJSON(t *testing.T) {
	require.NoError(t, format.CheckJSON([]byte(`{"more":[1],"what":"tiro letters","format":1}`), letters))
	for text, is := range map[string]error{
		`{"format":3,"what":"tiro letters"}`:  format.ErrNewer,
		`{"format":1}`:                        format.ErrForeign,
		`[]`:                                  format.ErrForeign,
		`{"format":"1","what":"tiro letters"`: format.ErrForeign,
		``:                                    format.ErrForeign,
	} {
		require.ErrorIs(t, format.CheckJSON([]byte(text), letters), is, text)
	}
	require.ErrorContains(t, format.CheckJSON([]byte(`{"form`), letters), "unexpected end of JSON input; it is damaged, or not a file")
}

// TestEmbedded: a mark comes first and is checked like any other.
func TestEmbedded(t *testing.T) {
	written, err := json.Marshal(struct {
		format.Mark
		Text string `json:"text"`
	}{letters, "dear"})
	require.NoError(t, err)
	require.Equal(t, `{"format":2,"what":"tiro letters","text":"dear"}`, string(written))
	require.NoError(t, format.CheckJSON(written, letters))
}

func TestMetadata(t *testing.T) {
	metadata := map[string]string{"author": "me"}
	letters.Put(metadata)
	require.Equal(t, map[string]string{"author": "me", "format": "2", "what": "tiro letters"}, metadata)
	require.Equal(t, letters, format.Of(metadata))
	require.Error(t, format.Of(nil).Check(letters))
	metadata["format"] = "two"
	require.ErrorContains(t, format.Of(metadata).Check(letters), "format is 0")
}

func ExampleMark_Check() {
	newest := format.Mark{Format: 2, What: "tiro episodes"}
	fmt.Println(format.Mark{Format: 1, What: "tiro episodes"}.Check(newest))
	fmt.Println(format.Mark{Format: 3, What: "tiro episodes"}.Check(newest))
	fmt.Println(format.Mark{Format: 1, What: "tiro weights"}.Check(newest))
	// Output:
	// <nil>
	// written by a newer tiro: format 3, this one reads up to 2
	// not a file of this kind by tiro: what is "tiro weights"; want "tiro episodes"
}
