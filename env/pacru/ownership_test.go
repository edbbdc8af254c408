package pacru

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestOwnership has three players with 9, 6 and 3 markers on the lowest ranks.
func TestOwnership(t *testing.T) {
	const marks = "000000000" + "111111222"
	end := newGameOf(t, "pacru:players=3").New().(*State)
	require.NoError(t, end.SetPosition("3;-;"+marks+strings.Repeat(".", 63)+";a1:0N;-"))
	earlier := newGameOf(t, "pacru:players=3").New().(*State)
	for turn, classes := range []string{"000000000" + "111111222", "222222222" + "000000111", "111111111" + "222222000"} {
		earlier.turn = uint8(turn)
		want := slices.Repeat([]int8{3}, fields)
		for f, class := range []byte(classes) {
			want[f] = int8(class - '0')
		}
		got := make([]int8, fields)
		require.Equal(t, env.Value{4.5 / 81, 0, -4.5 / 81}, end.Ownership(got, earlier))
		require.Equal(t, want, got)
	}
}

// TestOwnershipOfShacru: fields that were already marked have no target.
func TestOwnershipOfShacru(t *testing.T) {
	s := newGameOf(t, "shacru").New().(*State)
	end := newGameOf(t, "shacru").New().(*State)
	require.NoError(t, s.SetPosition("2;1;"+"01"+strings.Repeat(".", 79)+";a1:0N,b1:1N;-"))
	require.NoError(t, end.SetPosition("2;-;"+"01"+strings.Repeat("01.", 26)+".;a1:0N,b1:1N;-"))
	got := make([]int8, fields)
	require.Equal(t, env.Value{}, end.Ownership(got, s))
	require.Equal(t, []int8{-1, -1, 1, 0, 2, 1, 0}, got[:7])
}
