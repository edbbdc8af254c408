package env_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// The options of a game of go.
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
		"":           `game string "": no name; want NAME or NAME:OPTION=VALUE,…`,
		":size=9":    `game string ":size=9": no name; want NAME or NAME:OPTION=VALUE,…`,
		"go:":        `game string "go:": option ""; want OPTION=VALUE`,
		"go:size":    `game string "go:size": option "size"; want OPTION=VALUE`,
		"go:size=":   `game string "go:size=": option "size="; want OPTION=VALUE`,
		"go:=9":      `game string "go:=9": option "=9"; want OPTION=VALUE`,
		"go:size=9,": `game string "go:size=9,": option ""; want OPTION=VALUE`,
		"go:a=1,a=1": `game string "go:a=1,a=1": option "a" is given twice`,
	} {
		_, _, err := env.ParseName(text)
		require.EqualError(t, err, want)
	}
}

// ask reads the options of a game of go.
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

func TestOptionFaults(t *testing.T) {
	for text, want := range map[string]string{
		"go:size=26":                   "game go: option size=26; want a whole number from 2 to 25",
		"go:size=1":                    "game go: option size=1; want a whole number from 2 to 25",
		"go:size=nine":                 "game go: option size=nine; want a whole number from 2 to 25",
		"go:size=9.5":                  "game go: option size=9.5; want a whole number from 2 to 25",
		"go:size=99999999999999999999": "game go: option size=99999999999999999999; want a whole number from 2 to 25",
		"go:rules=Area":                "game go: option rules=Area; want territory, area",
		"go:sise=9":                    `game go: unknown option "sise"; want size, rules; did you mean size?`,
		"go:komi=7":                    `game go: unknown option "komi"; want size, rules`,
		"go:z=1,size=x,komi=7": "game go: option size=x; want a whole number from 2 to 25\n" +
			"unknown option \"komi\"; want size, rules\nunknown option \"z\"; want size, rules",
	} {
		require.EqualError(t, ask(t, text).Err(), want)
	}
	_, o, err := env.ParseName("chance:x=1")
	require.NoError(t, err)
	require.EqualError(t, o.Err(), `game chance: unknown option "x"; this game has none`)
}

// A game asks for its options one by one and then for all faults at once.
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
	// game go: unknown option "komi"; want size
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
	require.EqualError(t, err, `game string "go:size": option "size"; want OPTION=VALUE`)
	_, err = env.WithOptions("", "size=9")
	require.ErrorContains(t, err, "no name")
}

// TestLongNames: a name from a file is not repeated whole.
func TestLongNames(t *testing.T) {
	_, _, err := env.ParseName("mnk:" + strings.Repeat("m=3,", 1<<20))
	require.EqualError(t, err, "game string of 4194308 bytes; want at most 256")
}
