package env_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

func TestWrap(t *testing.T) {
	require.Equal(t, "a bb\nccc\ndddddd\ne", env.Wrap("a bb  ccc dddddd e", 5))
	require.Equal(t, "", env.Wrap("", 5))
}

func TestEnumerate(t *testing.T) {
	require.Equal(t, "", env.Enumerate(nil))
	require.Equal(t, "a", env.Enumerate([]string{"a"}))
	require.Equal(t, "a and b", env.Enumerate([]string{"a", "b"}))
	require.Equal(t, "a, b and c", env.Enumerate([]string{"a", "b", "c"}))
}

func TestRulesFormat(t *testing.T) {
	rules := env.Rules{Text: "\nNim, with\nthree heaps\n\n  xxx  xxxxxxxxx\n  xxxx\n\nTake stones: `b3` — as many as you like.\n"}
	for _, test := range []struct {
		name  string
		width int
		want  string
	}{
		{"as wide as rules are", 1000, "Nim, with three heaps\n\n  xxx  xxxxxxxxx\n  xxxx\n\nTake stones: `b3` — as many as you like.\n"},
		{"wrapped", 12, "Nim, with\nthree heaps\n\n  xxx  xxxxxxxxx\n  xxxx\n\nTake stones:\n`b3` — as\nmany as you\nlike.\n"},
		{"words stay whole", 1, "Nim,\nwith\nthree\nheaps\n\n  xxx  xxxxxxxxx\n  xxxx\n\nTake\nstones:\n`b3`\n—\nas\nmany\nas\nyou\nlike.\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, rules.Format(test.width))
		})
	}
}
