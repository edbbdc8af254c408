package pacru

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestPincerTakesTheLast {R11} {R15} {R16}: a player who loses the last chevron is out, and
// the player's markers stay. The only player with chevrons wins.
func TestPincerTakesTheLast(t *testing.T) {
	s := drawn(t, "pacru:players=3", "Y", `
		9 │ r   r   .  │ .   .   .  │ .   .   B← │
		5 │ .   .   .  │ .   Y↓  .  │ .   .   .  │
		4 │ .   .   .  │ .  [R→] .  │ .   .   .  │
		3 │ .   .   .  │ Y↗  .   .  │ .   .   .  │`)
	s = play(t, s, "e5xe4")
	require.False(t, s.alive(1))
	require.Equal(t, "a9 b9", marked(s, 1))
	require.EqualValues(t, 2, s.Turn(), "Red's turn is skipped")
	require.Equal(t, [4]int8{1, 3, 2}, s.Ranking(), "Red has the most markers")

	s = drawn(t, "pacru", "G", `
		9 │ y   y   .  │ .   .   .  │ .   .   .  │
		5 │ .   .   .  │ .   G↓  .  │ .   .   .  │
		4 │ .   .   .  │ .  [Y→] .  │ .   .   .  │
		3 │ .   .   .  │ G↗  .   .  │ .   .   .  │`)
	s = play(t, s, "e5xe4")
	require.Equal(t, "last-player", s.Ending())
	v, _ := s.Result()
	require.Equal(t, env.WinFor(0, 2), v)
}

// TestBlockedWhenItIsHisTurn {R15}, ruling 33: a player who is blocked during other
// players' turns is not out if able to move at the beginning of the next own turn.
func TestBlockedWhenItIsHisTurn(t *testing.T) {
	picture := `
		9 │ .   .   .  │ .   .   .  │ .   .   Y← │
		8 │ .   .   .  │ R→  .   .  │ .   .   .  │
		2 │ .   r   .  │ .   .   .  │ .   .   .  │
		1 │ B→  R↑  .  │ .   .   .  │ .   .   .  │`
	s := play(t, drawn(t, "pacru:players=3", "Y", picture), "i9-h9")
	require.False(t, s.movable(2))
	require.True(t, s.alive(2))
	freed := play(t, s, "b1-c2")
	require.EqualValues(t, 2, freed.Turn())
	require.Equal(t, "a1-b1", moves(freed, ""))
	out := play(t, s, "d8-e8")
	require.False(t, out.alive(2))
	require.EqualValues(t, 0, out.Turn())
}
