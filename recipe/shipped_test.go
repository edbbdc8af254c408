package recipe_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/recipe"
)

// TestShippedConfigs: the built-in configurations are valid and their games exist.
func TestShippedConfigs(t *testing.T) {
	files, err := filepath.Glob("../configs/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 5)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := recipe.Default("")
			require.NoError(t, c.Load(file))
			require.NoError(t, c.Validate())
			game, err := games.New(c.Game)
			require.NoError(t, err)
			require.Equal(t, game.Spec().Name, c.Game, "runs have this name, by which Shipped finds the file")
		})
	}
}

// TestTheConfigIsTheManual: configs/coerceo.yaml documents every key.
func TestTheConfigIsTheManual(t *testing.T) {
	text, err := os.ReadFile("../configs/coerceo.yaml")
	require.NoError(t, err)
	named := map[string]bool{}
	for _, key := range regexp.MustCompile(`([a-z0-9_]+):`).FindAllStringSubmatch(string(text), -1) {
		named[key[1]] = true
	}
	var walk func(path string, typ reflect.Type)
	walk = func(path string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Slice:
			walk(path, typ.Elem())
		case reflect.Struct:
			for i := range typ.NumField() {
				key, _, _ := strings.Cut(typ.Field(i).Tag.Get("yaml"), ",")
				require.NotEmpty(t, key, "%s.%s has no key", path, typ.Field(i).Name)
				if key == "given_games" { // only tiro fork --games sets it
					continue
				}
				require.True(t, named[key], "%s.%s is not documented", path, key)
				walk(path+"."+key, typ.Field(i).Type)
			}
		}
	}
	walk("", reflect.TypeFor[recipe.Config]())
}
