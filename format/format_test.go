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

var letters = format.Header{Format: 2, What: "tiro letters"}

func TestCheck(t *testing.T) {
	require.NoError(t, letters.Check(letters))
	tests := []struct {
		header  format.Header
		foreign bool
		version bool
		want    string
	}{
		{format.Header{Format: 3, What: "tiro letters"}, false, true, "written by a newer tiro: format 3, this one reads format 2"},
		{format.Header{Format: 1, What: "tiro letters"}, false, true, "written by an older tiro: format 1, this one reads format 2"},
		{format.Header{Format: 2, What: "tiro songs"}, true, false, `wrong kind of file: "what" is "tiro songs", not "tiro letters"`},
		{format.Header{Format: 9}, true, false, `wrong kind of file: "what" is "", not "tiro letters"`},
		{format.Header{What: strings.Repeat("x", 1000)}, true, false, `"what" is "` + strings.Repeat("x", 40) + `", not`},
		{format.Header{What: "tiro letters"}, false, false, "format is 0, not 2"},
		{format.Header{Format: -1, What: "tiro letters"}, false, false, "format is -1, not 2"},
	}
	for _, test := range tests {
		err := test.header.Check(letters)
		require.ErrorContains(t, err, test.want)
		require.Equal(t, test.foreign, errors.Is(err, format.ErrForeign), "%v", err)
		require.Equal(t, test.version, format.OtherVersion(fmt.Errorf("wrapped: %w", err)), "%v", err)
	}
}

func TestCheckJSON(t *testing.T) {
	require.NoError(t, format.CheckJSON([]byte(`{"more":[1],"what":"tiro letters","format":2}`), letters))
	require.True(t, format.OtherVersion(format.CheckJSON([]byte(`{"format":3,"what":"tiro letters"}`), letters)))
	for _, text := range []string{`{"format":1}`, `[]`, `{"format":"1","what":"tiro letters"`, ``} {
		require.ErrorIs(t, format.CheckJSON([]byte(text), letters), format.ErrForeign, text)
	}
	require.ErrorContains(t, format.CheckJSON([]byte(`{"form`), letters), "unexpected end of JSON input: damaged file or wrong kind of file")
}

// TestExplain: errors describe values in terms of JSON.
func TestExplain(t *testing.T) {
	type small struct {
		Yes bool `json:"yes"`
	}
	type all struct {
		Ply   int      `json:"ply"`
		Sims  uint16   `json:"sims"`
		Share *float64 `json:"share"`
		Move  string   `json:"move"`
		Moves []string `json:"moves"`
		Small small    `json:"small"`
	}
	for text, want := range map[string]string{
		`[]`:                     "the value is an array but must be an object",
		`{"ply":"1"}`:            `field "ply" is a string but must be a 64-bit integer`,
		`{"ply":1.5}`:            `field "ply" is number 1.5 but must be a 64-bit integer`,
		`{"sims":-1}`:            `field "sims" is number -1 but must be an unsigned 16-bit integer`,
		`{"share":{}}`:           `field "share" is an object but must be a number`,
		`{"move":true}`:          `field "move" is true or false but must be a string`,
		`{"moves":"1 2"}`:        `field "moves" is a string but must be an array`,
		`{"moves":[1]}`:          `field "moves" is a number but must be a string`,
		`{"small":1}`:            `field "small" is a number but must be an object`,
		`{"small":{"yes":null}}`: "",
		`{"small":{"yes":1}}`:    `field "small.yes" is a number but must be true or false`,
		`{"ply":`:                "unexpected EOF",
		" ":                      "no JSON value",
	} {
		err := format.DecodeStrict([]byte(text), new(all))
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.EqualError(t, err, want, text)
	}
	err := format.DecodeStrict([]byte(`{"ply":`+strings.Repeat("9", 1000)+`}`), new(all))
	require.Less(t, len(err.Error()), 120)
}

// TestEmbedded: an embedded header comes first and is checked like any other.
func TestEmbedded(t *testing.T) {
	written, err := json.Marshal(struct {
		format.Header
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
	require.Equal(t, letters, format.FromMetadata(metadata))
	require.Error(t, format.FromMetadata(nil).Check(letters))
	metadata["format"] = "two"
	require.ErrorContains(t, format.FromMetadata(metadata).Check(letters), "format is 0")
}

func ExampleHeader_Check() {
	want := format.Header{Format: 2, What: "tiro episodes"}
	fmt.Println(format.Header{Format: 2, What: "tiro episodes"}.Check(want))
	fmt.Println(format.Header{Format: 3, What: "tiro episodes"}.Check(want))
	fmt.Println(format.Header{Format: 1, What: "tiro weights"}.Check(want))
	// Output:
	// <nil>
	// written by a newer tiro: format 3, this one reads format 2
	// wrong kind of file: "what" is "tiro weights", not "tiro episodes"
}

// TestKeys: other languages' readers do not accept the variants of field names that
// encoding/json accepts.
func TestKeys(t *testing.T) {
	type pair struct {
		Left  string         `json:"left"`
		Right []pair         `json:"right"`
		Many  map[string]int `json:"many"`
	}
	for text, want := range map[string]string{
		`{"left":"\\\"left\":1","right":[{"left":"a"},{"left":"{"}],"many":{"a.b":1,"b":2}}`: "",
		`{"left":"left", "right" : []}`:                    "",
		`{"Left":"a"}`:                                     `key "Left" must be lower case, without escapes`,
		`{"l\u0065ft":"a"}`:                                `key "l\\u0065ft" must be lower case`,
		`{"right":[],"right":[]}`:                          `duplicate key "right"`,
		`{"right":[{"left":"a","right":[],"left" : "b"}]}`: `duplicate key "left"`,
	} {
		err := format.DecodeStrict([]byte(text), new(pair))
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
	many := `{"many":{"a":1`
	for i := range 2000 {
		many += fmt.Sprintf(`,"k%d":1`, i)
	}
	require.ErrorContains(t, format.DecodeStrict([]byte(many+`}}`), new(pair)), "more than 1000 keys")
}
