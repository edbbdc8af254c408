package web

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/study/progress"
	"tiro/web/host"
	"tiro/web/watch"
)

// fieldName matches a field of an interface.
var fieldName = regexp.MustCompile(`(\w+)\??: `)

// TestSourcesNameFieldsOfAnswers: the pages read only fields that the answers have.
func TestSourcesNameFieldsOfAnswers(t *testing.T) {
	for file, answers := range map[string][]any{
		"view.ts":   {host.View{}, host.Offer{}, host.Line{}, host.Position{}},
		"replay.ts": {progress.Replay{}},
		"watch.ts":  {watch.Status{}, watch.Charts{}},
	} {
		sent := map[string]bool{}
		for _, a := range answers {
			addFields(sent, reflect.TypeOf(a))
		}
		text, err := os.ReadFile("src/" + file)
		require.NoError(t, err)
		inside, read := false, 0
		for line := range strings.Lines(string(text)) {
			inside = inside || strings.Contains(line, "interface ")
			for _, found := range fieldName.FindAllStringSubmatch(line, -1) {
				if inside {
					require.True(t, sent[found[1]], "%s: %s", file, strings.TrimSpace(line))
					read++
				}
			}
			inside = inside && !strings.HasSuffix(line, "}\n")
		}
		require.Greater(t, read, 5, file)
	}
}

// addFields adds the JSON names of the fields of a type, and of the types in it.
func addFields(names map[string]bool, of reflect.Type) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		addFields(names, of.Elem())
	case reflect.Struct:
		for f := range of.Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" || f.Anonymous {
				names[name] = true
				addFields(names, f.Type)
			}
		}
	}
}
