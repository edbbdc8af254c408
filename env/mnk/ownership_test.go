package mnk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestOwnership examines a game that x wins on the lowest row.
func TestOwnership(t *testing.T) {
	game := newGame(t, "mnk")
	end := at(t, game, "a1", "a2", "b1", "b2", "c1").(env.OwnershipScorer)
	for _, c := range []struct {
		moves []string
		want  []int8
	}{
		{nil, []int8{0, 0, 0, 1, 1, 2, 2, 2, 2}},
		{[]string{"a1"}, []int8{-1, 1, 1, 0, 0, 2, 2, 2, 2}},
		{[]string{"a1", "a2", "b1", "b2"}, []int8{-1, -1, 0, -1, -1, 2, 2, 2, 2}},
	} {
		got := make([]int8, 9)
		require.Equal(t, env.Value{4. / 9, -4. / 9}, end.Ownership(got, at(t, game, c.moves...)))
		require.Equal(t, c.want, got)
	}
}
