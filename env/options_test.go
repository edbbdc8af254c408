package env_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// The options of the game go in these tests.
var (
	size  = env.Option{Name: "size", Default: 19, Min: 2, Max: 25}
	rules = env.Option{Name: "rules", Words: []string{"territory", "area"}}
	ko    = env.Option{Name: "ko", Words: []string{"simple", "super"}}
)

func TestParseName(t *testing.T) {
	name, o, err := env.ParseName("go:size=9,rules=area")
	require.NoError(t, err)
	require.Equal(t, "go", name)
	require.Equal(t, 9, o.Int(size))
	require.Equal(t, 1, o.Choice(rules))
	require.Equal(t, 0, o.Choice(ko))
	require.NoError(t, o.Err())

	for text, want := range map[string]string{
		"":           `game string "" has no name (NAME or NAME:OPTION=VALUE,…)`,
		":size=9":    `game string ":size=9" has no name (NAME or NAME:OPTION=VALUE,…)`,
		"go:":        `game string "go:": option "" does not have the form OPTION=VALUE`,
		"go:size":    `game string "go:size": option "size" does not have the form OPTION=VALUE`,
		"go:size=":   `game string "go:size=": option "size=" does not have the form OPTION=VALUE`,
		"go:=9":      `game string "go:=9": option "=9" does not have the form OPTION=VALUE`,
		"go:size=9,": `game string "go:size=9,": option "" does not have the form OPTION=VALUE`,
		"go:a=1,a=1": `game string "go:a=1,a=1": option "a" is given twice`,
	} {
		_, _, err := env.ParseName(text)
		require.EqualError(t, err, want)
	}
}

// ask parses a game string and reads its options.
func ask(t *testing.T, text string) *env.Options {
	t.Helper()
	_, o, err := env.ParseName(text)
	require.NoError(t, err)
	o.Int(size)
	o.Choice(rules)
	return o
}

func TestOptionsAreCanonical(t *testing.T) {
	for text, want := range map[string]string{
		"go":                           "go",
		"go:size=19,rules=territory":   "go",
		"go:rules=area,size=9":         "go:size=9,rules=area",
		"go:rules=territory,size=0013": "go:size=13",
	} {
		o := ask(t, text)
		require.NoError(t, o.Err())
		require.Equal(t, want, o.String())
		again := ask(t, o.String())
		require.Equal(t, want, again.String())
	}
}

// TestHalves: a number in half steps has one canonical form and is not negative.
func TestHalves(t *testing.T) {
	komi := env.Option{Name: "komi", Default: 7, Max: 20, Halves: true}
	for text, want := range map[string]string{
		"7": "go", "+7": "go", "6.5": "go:komi=6.5", "+06.5": "go:komi=6.5", "0.5": "go:komi=0.5", "20": "go:komi=20",
		"-0.5": "", "-0": "", "20.5": "", "7.25": "", ".5": "", "1e1": "",
	} {
		_, o, err := env.ParseName("go:komi=" + text)
		require.NoError(t, err)
		o.Halves(komi)
		if want == "" {
			require.ErrorContains(t, o.Err(), "komi="+text+": must be a number from 0 to 20")
			continue
		}
		require.NoError(t, o.Err())
		require.Equal(t, want, o.String())
	}
}

func TestOptionFaults(t *testing.T) {
	for text, want := range map[string]string{
		"go:size=26":                   "game go: option size=26: must be a whole number from 2 to 25",
		"go:size=1":                    "game go: option size=1: must be a whole number from 2 to 25",
		"go:size=nine":                 "game go: option size=nine: must be a whole number from 2 to 25",
		"go:size=9.5":                  "game go: option size=9.5: must be a whole number from 2 to 25",
		"go:size=99999999999999999999": "game go: option size=99999999999999999999: must be a whole number from 2 to 25",
		"go:rules=Area":                "game go: option rules=Area: must be one of territory, area",
		"go:sise=9":                    `game go: unknown option "sise" (size, rules); did you mean size?`,
		"go:komi=7":                    `game go: unknown option "komi" (size, rules)`,
		"go:z=1,size=x,komi=7": "game go: option size=x: must be a whole number from 2 to 25\n" +
			"unknown option \"komi\" (size, rules)\nunknown option \"z\" (size, rules)",
	} {
		require.EqualError(t, ask(t, text).Err(), want)
	}
	_, o, err := env.ParseName("chance:x=1")
	require.NoError(t, err)
	require.EqualError(t, o.Err(), `game chance: unknown option "x": the game has no options`)
}

// Reading options and reporting all faults at once.
func ExampleOptions() {
	_, o, err := env.ParseName("go:komi=7,size=9")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.Int(size))
	fmt.Println(o.Err())
	fmt.Println(o)
	// Output:
	// 9
	// game go: unknown option "komi" (size)
	// go:size=9
}

func TestWithOptions(t *testing.T) {
	for _, test := range []struct{ game, options, want string }{
		{"go", "", "go"},
		{"go:size=9", "", "go:size=9"},
		{"go", "size=9", "go:size=9"},
		{"go:size=9", "size=13", "go:size=13"},
		{"go:size=9", "rules=area", "go:rules=area,size=9"},
	} {
		got, err := env.WithOptions(test.game, test.options)
		require.NoError(t, err)
		require.Equal(t, test.want, got)
	}
	_, err := env.WithOptions("go", "size")
	require.EqualError(t, err, `game string "go:size": option "size" does not have the form OPTION=VALUE`)
	_, err = env.WithOptions("", "size=9")
	require.ErrorContains(t, err, "no name")
}

// TestLongNames: errors do not repeat a long name from a file.
func TestLongNames(t *testing.T) {
	_, _, err := env.ParseName("mnk:" + strings.Repeat("m=3,", 1<<20))
	require.EqualError(t, err, "game string has 4194308 bytes, more than the maximum of 256")
}

// sized is a game with a Spec and no rules.
type sized struct {
	env.Game
	spec env.Spec
}

func (g sized) Spec() env.Spec { return g.spec }

func TestTableChecksSpecs(t *testing.T) {
	good := env.Spec{Name: "go:size=9", Players: 2, Planes: 1, Height: 9, Width: 9, PolicyPlanes: 1, MaxPlies: 81, Version: 1}
	short, empty, newer := good, good, good
	short.Name, empty.Planes, empty.Players, newer.RulesVersion = "go", 0, 5, 2
	for _, test := range []struct {
		spec env.Spec
		want string
	}{
		{good, ""},
		{short, `games: go:size=9: Spec: Name is "go" but must be "go:size=9", the result of Options.String`},
		{empty, "games: go:size=9: Spec: 5 players, not 2 to 4\nPlanes is 0 but must be at least 1"},
		{newer, "games: go:size=9: Spec: RulesVersion is 2, not 0 to Version"},
	} {
		entry := env.Entry{Name: "go", Options: []env.Option{size}, Make: func(o *env.Options) (env.Game, error) {
			o.Int(size)
			return sized{spec: test.spec}, o.Err()
		}}
		_, err := env.Table{entry}.New("go:size=9")
		if test.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, test.want)
		}
	}
}
