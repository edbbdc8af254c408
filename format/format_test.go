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
		{format.Header{Format: 2, What: "tiro songs"}, true, false, `not a file of this kind by tiro: what is "tiro songs"; want "tiro letters"`},
		{format.Header{Format: 9}, true, false, `not a file of this kind by tiro: what is ""; want "tiro letters"`},
		{format.Header{What: strings.Repeat("x", 1000)}, true, false, `what is "` + strings.Repeat("x", 40) + `"; want`},
		{format.Header{What: "tiro letters"}, false, false, "format is 0; want 2"},
		{format.Header{Format: -1, What: "tiro letters"}, false, false, "format is -1; want 2"},
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
	require.ErrorContains(t, format.CheckJSON([]byte(`{"form`), letters), "unexpected end of JSON input; it is damaged, or not a file")
}

// TestExplain: a value that does not fit is described in the words of JSON.
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
		`[]`:                     "it holds an array; want an object",
		`{"ply":"1"}`:            `field "ply" holds a string; want a whole number of 64 bits`,
		`{"ply":1.5}`:            `field "ply" holds number 1.5; want a whole number of 64 bits`,
		`{"sims":-1}`:            `field "sims" holds number -1; want a whole number from 0, of 16 bits`,
		`{"share":{}}`:           `field "share" holds an object; want a number`,
		`{"move":true}`:          `field "move" holds true or false; want a string`,
		`{"moves":"1 2"}`:        `field "moves" holds a string; want an array`,
		`{"moves":[1]}`:          `field "moves" holds a number; want a string`,
		`{"small":1}`:            `field "small" holds a number; want an object`,
		`{"small":{"yes":null}}`: "",
		`{"small":{"yes":1}}`:    `field "small.yes" holds a number; want true or false`,
		`{"ply":`:                "unexpected EOF",
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

// TestEmbedded: a header comes first and is checked like any other.
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
	// not a file of this kind by tiro: what is "tiro weights"; want "tiro episodes"
}

// TestKeys: what package json takes for a known field, readers of other languages do
// not.
func TestKeys(t *testing.T) {
	type pair struct {
		Left  string         `json:"left"`
		Right []pair         `json:"right"`
		Many  map[string]int `json:"many"`
	}
	for text, want := range map[string]string{
		`{"left":"\\\"left\":1","right":[{"left":"a"},{"left":"{"}],"many":{"a.b":1,"b":2}}`: "",
		`{"left":"left", "right" : []}`:                    "",
		`{"Left":"a"}`:                                     `key "Left"; want lower-case letters without escapes`,
		`{"l\u0065ft":"a"}`:                                `key "l\\u0065ft"; want lower-case`,
		`{"right":[],"right":[]}`:                          `key "right" is there twice`,
		`{"right":[{"left":"a","right":[],"left" : "b"}]}`: `key "left" is there twice`,
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
