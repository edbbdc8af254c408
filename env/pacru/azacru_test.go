package pacru

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAzacruAsShacru {A-R1} {A-R2} {A-R3}: these rules are the same as in Shacru. Only the
// destination is marked; own fields may be entered, other players' may not; a player who
// can move must move, and otherwise passes.
func TestAzacruAsShacru(t *testing.T) {
	s := drawn(t, "azacru", "G", `
		3 │ .   y   g  │ .   .   .  │ .   .   .  │
		2 │ .   G↑  .  │ .   .   .  │ .   .   Y← │`)
	require.Equal(t, "b2-a3 b2-c3", moves(s, ""), "not onto b3")
	require.Equal(t, "a3 c3", marked(play(t, s, "b2-a3"), 0), "b2 stays neutral")
	require.Equal(t, "c3", marked(play(t, s, "b2-c3"), 0))

	s = drawn(t, "azacru", "Y", `
		2 │ g   g   .  │ .   .   .  │ .   .   .  │
		1 │ Y↗  g   .  │ .   .   .  │ .   .   G← │`)
	require.Equal(t, "pass", moves(s, ""))
	s = play(t, s, "pass")
	require.Equal(t, "i1-h1 i1-h2", moves(s, ""), "no pass for a player who can move")
}

// TestNoEarlyEnd {S-R6}, ruling 6: when no player can gain another field, Shacru ends but
// Azacru continues.
func TestNoEarlyEnd(t *testing.T) {
	picture := `
		9 │[Y↑] y   y  │ y   y   y  │ y   y   y  │
		8 │ y   y   y  │ y   y   y  │ y   y   y  │
		7 │ y   y   y  │ y   y   y  │ y   y   y  │
		6 │ y   y   y  │ y   y   y  │ y   y   y  │
		5 │ y   y   y  │ y   y   y  │ y   y   y  │
		4 │ y   y   y  │ g   y   y  │ y   y   y  │
		3 │ y   y  [G↗]│ y   y   y  │ y   y   y  │
		2 │ y   y   y  │ y   y   y  │ y   y   y  │
		1 │ y   y   y  │ y   y   y  │ y   y   y  │`
	require.Equal(t, "no-gain", play(t, drawn(t, "shacru", "G", picture), "c3-d4^").Ending())
	s := play(t, drawn(t, "azacru", "G", picture), "c3-d4^")
	require.Empty(t, s.Ending())
	require.Equal(t, "final-round", play(t, s, "pass", "pass").Ending())
}

// TestPower {A-R5}: a chevron moves up to as many fields as its borderland has own markers,
// including those under chevrons, over fields of any colour, but not onto another player's
// field and not over a chevron.
func TestPower(t *testing.T) {
	s := drawn(t, "azacru", "G", `
		3 │ .   g   .  │ .   .   .  │ .   .   .  │
		2 │ .   y   .  │ .   .   .  │ .   .   .  │
		1 │[G→] .   .  │ .   .   .  │ .   .   Y↑ │`)
	require.Equal(t, "a1-b1 a1-c1 a1-c3", moves(s, ""), "power 2, not onto b2, over it to c3")
	s = drawn(t, "azacru", "G", `
		3 │ g   g   .  │ .   .   .  │ .   .   .  │
		2 │ .   .   .  │ .   .   .  │ .   .   .  │
		1 │[G→] .   Y↑ │ g   .   .  │ .   .   .  │`)
	require.Equal(t, "a1-b1 a1-b2 a1-c3 a1-d1< a1-d1> a1-d1^ a1-d4< a1-d4> a1-d4^", moves(s, ""),
		"power 3; over c1 to d1 by a connection jump, since both ends are Green's")
	s = drawn(t, "azacru", "G", `
		1 │ G→  .   Y↑ │ .   .   .  │ .   .   .  │`)
	require.Equal(t, "a1-b1 a1-b2", moves(s, ""), "power 0 counts as 1")
}

// TestTwistInFinalRound {A-R6}: twists are still legal, though they have no effect.
func TestTwistInFinalRound(t *testing.T) {
	s := drawn(t, "azacru", "Y", `
		2 │ .   .   .  │ .   .   .  │ .   .   .  │
		1 │ .   .   .  │ .   .   .  │ Y←  .   G→ │`)
	require.Equal(t, "g1-f1< g1-f1> g1-f1^ g1-f2< g1-f2> g1-f2^", moves(s, ""))
	require.NoError(t, s.SetPosition("2;1;"+everyField+";g1:1W,i1:0E;0"))
	require.Equal(t, "g1-f1< g1-f1> g1-f1^ g1-f2< g1-f2> g1-f2^", moves(s, ""))
	require.Equal(t, "final-round", play(t, s, "g1-f1<").Ending())
}

// TestConnection {A-R7}: a move between own markers marks all fields between, and removes
// the chevron if one of them belonged to another player. A removed chevron does not twist.
func TestConnection(t *testing.T) {
	s := drawn(t, "azacru", "G", `
		6 │ .   .   .  │ .   .   .  │ .   .   .  │
		5 │ g   .   .  │ .   .   .  │ .   .   .  │
		4 │ y   .   .  │ .   .   .  │ .   .   .  │
		3 │ .   .   .  │ .   .   .  │ .   .   .  │
		2 │ g   g   g  │ .   .   .  │ .   .   Y↑ │
		1 │[G↑] .   .  │ .   g   .  │ .   .   .  │`)
	require.Equal(t, "a1-a2 a1-a3 a1-a5 a1-b2 a1-c3 a1-d4< a1-d4> a1-d4^ a1-e5< a1-e5> a1-e5^", moves(s, ""))
	removed := play(t, s, "a1-a5")
	require.Equal(t, "a1 e1 a2 b2 c2 a3 a4 a5", marked(removed, 0))
	require.Empty(t, marked(removed, 1))
	require.False(t, removed.alive(0))
	short := play(t, s, "a1-a3")
	require.Equal(t, "a1 e1 a2 b2 c2 a3 a5", marked(short, 0), "a3 was neutral: no connection")

	// There is no connection over a chevron: the jump does not change the fields between.
	s = drawn(t, "azacru", "G", `
		5 │ g   .   .  │ .   .   .  │ .   .   .  │
		4 │ y   .   .  │ .   .   .  │ .   .   .  │
		3 │ Y→  .   .  │ .   .   .  │ .   .   .  │
		2 │ g   g   g  │ .   .   .  │ .   .   .  │
		1 │[G↑] .   .  │ .   .   .  │ .   .   .  │`)
	jumped := play(t, s, "a1-a5<")
	require.Equal(t, "a1 a2 b2 c2 a5", marked(jumped, 0))
	require.Equal(t, "a4", marked(jumped, 1))
	require.Equal(t, chevron{36, 7}, jumped.own(0)[0])
}

// TestFinalRound {A-R10}: after the first pass every other seat has one more turn. The
// booklet's example has Red, Green, Yellow in this order (here Red, Black, Yellow): Green
// removes the last of his chevrons; Yellow and Red move; Green passes; Yellow and Red move.
func TestFinalRound(t *testing.T) {
	s := drawn(t, "azacru:players=3", "R", `
		5 │ b   .   .  │ .   .   .  │ .   .   .  │
		4 │ y   .   .  │ .   .   .  │ .   .   .  │
		3 │[B↑] .   .  │ .   .   .  │ .   .   .  │
		2 │ b   .   .  │ .   .   .  │ .   .   .  │
		1 │ .   .   .  │ R→  .   .  │ .   .   Y← │`)
	s = play(t, s, "d1-e1", "a3-a5")
	require.Equal(t, "a2 a3 a4 a5", marked(s, 2))
	require.False(t, s.alive(2), "the connection over Yellow's a4 costs the chevron")
	s = play(t, s, "i1-h1", "e1-f1")
	require.EqualValues(t, noSeat, s.final)
	require.Equal(t, "pass", moves(s, ""))
	s = play(t, s, "pass")
	require.EqualValues(t, 2, s.final)
	require.Equal(t, 2, s.left())
	s = play(t, s, "h1-g1", "f1-g2^")
	require.Equal(t, "final-round", s.Ending())
	require.Equal(t, [4]int8{3, 2, 1}, s.Ranking(), "two, three and four markers")
	require.Contains(t, s.Narrate(s), "places: 1 Black, 2 Red, 3 Yellow")
}
