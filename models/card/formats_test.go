package card_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/format"
	"tiro/models/card"
)

// TestFormats: docs/FORMATS.md has the header of card.json, and its part on
// cards names every field.
func TestFormats(t *testing.T) {
	text, err := os.ReadFile("../../docs/FORMATS.md")
	require.NoError(t, err)
	_, rest, begun := strings.Cut(string(text), "<!-- card: begin -->")
	part, _, ended := strings.Cut(rest, "<!-- card: end -->")
	require.True(t, begun && ended)

	var data bytes.Buffer
	require.NoError(t, example(t).Write(&data))
	var header format.Header
	require.NoError(t, json.Unmarshal(data.Bytes(), &header))
	require.Contains(t, string(text), fmt.Sprintf("| `card.json` of `tiro rate --card` | `%s` | %d |\n", header.What, header.Format))
	fields(reflect.TypeFor[card.Card](), func(name string) {
		require.Contains(t, part, "`"+name+"`")
	})
}

// fields calls visit with the name in JSON of every field of a type of this
// package, and of those within it.
func fields(t reflect.Type, visit func(name string)) {
	switch {
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer:
		fields(t.Elem(), visit)
	case t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[card.Card]().PkgPath():
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "format" && name != "what" {
				visit(name)
			}
			fields(f.Type, visit)
		}
	}
}
