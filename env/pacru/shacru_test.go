package pacru

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestStart {S-R1} {R1}: the seats' start positions are quarter turns of each other, and
// half turns with two players (1.1).
func TestStart(t *testing.T) {
	four := newGameOf(t, "pacru:players=4").New().(*State)
	for p := range uint8(4) {
		var quarter board
		for _, c := range four.own(p) {
			quarter.put(0, chevron{geo.image[1].field[c.field], geo.image[1].facing[c.facing]})
		}
		require.Equal(t, four.own((p+1)%4), quarter.own(0), "play goes clockwise")
	}
	three := newGameOf(t, "azacru:players=3").New().(*State)
	for p, side := range []uint8{0, 1, 3} {
		require.Equal(t, four.own(side), three.own(uint8(p)), "the seat between the others begins")
	}
	two := newGameOf(t, "shacru").New().(*State)
	half := new(State)
	half.CopyFrom(two)
	half.SetImage(two, 2)
	require.Equal(t, two.own(0), half.own(1))
	require.Equal(t, two.own(1), half.own(0))
	require.Equal(t, "e1 a3 i3 i9", fieldsOf(two, 0))
}

func fieldsOf(s *State, p uint8) (text string) {
	for i, c := range s.own(p) {
		if i > 0 {
			text += " "
		}
		text += fieldName(c.field)
	}
	return text
}

// TestShacruPass {S-R2}: a player who can move must move; a player who cannot passes and
// continues later.
func TestShacruPass(t *testing.T) {
	s := drawn(t, "shacru", "Y", `
		9 │ .   .   .  │ .   .   .  │ .   .   .  │
		2 │ g   g   .  │ .   .   .  │ .   .   .  │
		1 │ Y↗  g   .  │ .   .   .  │ .   .   G← │`)
	require.Equal(t, "pass", moves(s, ""))
	s = play(t, s, "pass")
	require.Equal(t, "i1-h1 i1-h2", moves(s, ""), "no pass for a player who can move")
	s = play(t, s, "i1-h1")
	require.Equal(t, "pass", moves(s, ""))
}

// TestShacruMarks {S-R3} {S-R5}: a move marks its destination, leaves its origin unchanged,
// and may enter own markers but not others'.
func TestShacruMarks(t *testing.T) {
	s := drawn(t, "shacru", "G", `
		3 │ .   y   g  │ .   .   .  │ .   .   .  │
		2 │ .   G↑  .  │ .   .   .  │ .   .   Y← │`)
	require.Equal(t, "b2-a3 b2-c3", moves(s, ""), "not onto b3")
	require.Equal(t, "a3 c3", marked(play(t, s, "b2-a3"), 0), "b2 stays neutral")
	own := play(t, s, "b2-c3")
	require.Equal(t, "c3", marked(own, 0), "nothing gained")
	require.EqualValues(t, 1, own.quiet)
}

// TestShacruTwist {S-R4}: only moves across a border allow a twist.
func TestShacruTwist(t *testing.T) {
	s := drawn(t, "shacru", "G", `
		2 │ .   .   G→ │ .   .   .  │ .   .   Y← │
		1 │ .   .   .  │ .   .   .  │ .   .   .  │`)
	require.Equal(t, "c2-d1< c2-d1> c2-d1^ c2-d2< c2-d2> c2-d2^ c2-d3< c2-d3> c2-d3^", moves(s, ""))
	for move, facing := range map[string]uint8{"c2-d1^": 3, "c2-d1<": 2, "c2-d1>": 4, "c2-d3<": 0} {
		require.Equal(t, facing, play(t, s, move).own(0)[0].facing, move)
	}
	s = drawn(t, "shacru", "G", `
		2 │ .   G→  .  │ .   .   .  │ .   .   Y← │`)
	require.Equal(t, "b2-c1 b2-c2 b2-c3", moves(s, ""))
}

// TestShacruEnd {S-R6}: the game ends when no player can move, or none who can move will
// ever gain a field. A chevron that may still move away blocks nothing.
func TestShacruEnd(t *testing.T) {
	walled := func(corner, mover string) *State {
		return drawn(t, "shacru", mover, `
		9 │ Y↘  .   .  │ .   .   .  │ .   .   .  │
		3 │ y   y   y  │ .   .   .  │ .   .   .  │
		2 │ g   g   y  │ .   .   .  │ .   .   .  │
		1 │ `+corner+` g   y  │ .   .   .  │ .   .   .  │`)
	}
	s := walled("[G↗]", "G")
	require.True(t, s.gainable(), "Yellow can gain")
	s = drawn(t, "shacru", "G", `
		9 │ Y↑  .   .  │ .   .   .  │ .   .   .  │
		3 │ y   y   y  │ .   .   .  │ .   .   .  │
		2 │ g   g   y  │ .   .   .  │ .   .   .  │
		1 │[G↗] g   y  │ .   .   .  │ .   .   .  │`)
	require.False(t, s.gainable(), "Yellow faces off the board, Green has own fields only")
	s = play(t, s, "a1-b2")
	_, over := s.Result()
	require.True(t, over)
	require.Equal(t, "no-gain", s.Ending())
	require.Empty(t, s.Legal(nil))

	// b2 is blocked by a chevron of Green's, which can move away.
	s = drawn(t, "shacru", "Y", `
		3 │ .   .   .  │ .   .   .  │ .   .   .  │
		2 │ g   G↑  g  │ .   .   .  │ .   .   .  │
		1 │ Y↗  g   .  │ .   .   .  │ .   .   .  │`)
	require.Equal(t, "pass", moves(s, ""))
	require.False(t, s.stuck().has(10), "b2")
	require.False(t, s.stuck().has(0), "so a1 is not permanently stuck")

	// Two chevrons at the edge that face off the board block each other permanently.
	s = drawn(t, "shacru", "G", `
		9 │ G↑  .   .  │ .   .   .  │ .   .   Y↑ │
		1 │ .   .   .  │ .   .   .  │ .   .   .  │`)
	require.False(t, s.gainable())
	s = play(t, s, "pass")
	v, over := s.Result()
	require.True(t, over)
	require.Equal(t, env.Value{}, v, "no markers each: a shared win")
}

// TestSharedWins (6): with n players a share x of the win is worth (n*x-1)/(n-1).
func TestSharedWins(t *testing.T) {
	third, ninth := float32(1)/3, float32(1)/9
	for _, c := range []struct {
		markers string
		want    env.Value
		places  [4]int8
	}{
		{"0001", env.Value{1, -third, -third, -third}, [4]int8{1, 2, 3, 3}},
		{"0011", env.Value{third, third, -third, -third}, [4]int8{1, 1, 3, 3}},
		{"001122", env.Value{ninth, ninth, ninth, -third}, [4]int8{1, 1, 1, 4}},
		{"001122333", env.Value{-third, -third, -third, 1}, [4]int8{2, 2, 2, 1}},
		{"0123", env.Value{}, [4]int8{1, 1, 1, 1}},
	} {
		s := newGameOf(t, "azacru:players=4").New().(*State)
		require.NoError(t, s.SetPosition("4;-;"+c.markers+everyField[len(c.markers):]+";;-"))
		v, over := s.Result()
		require.True(t, over)
		require.InDeltaSlice(t, c.want[:], v[:], 1e-6)
		require.Equal(t, c.places, s.Ranking())
		require.Equal(t, "declared", s.Ending())
	}
}

const everyField = "................................................................................."

// TestLimits (6): the limits on turns without a change of markers and on all turns.
func TestLimits(t *testing.T) {
	s := newGameOf(t, "azacru:noprogress=2,maxturns=50").New().(*State)
	require.NoError(t, s.SetPosition(positionOf(t, s, "G", `
		2 │ g   g   .  │ .   .   .  │ .   .   y  │
		1 │[G↑] g   .  │ .   .   .  │ .   .  [Y↑]│`)))
	s = play(t, s, "a1-a2")
	require.EqualValues(t, 1, s.quiet)
	s = play(t, s, "i1-i2", "a2-a3")
	require.EqualValues(t, 0, s.quiet, "a3 was neutral")

	s = newGameOf(t, "azacru:noprogress=1").New().(*State)
	require.NoError(t, s.SetPosition(positionOf(t, s, "G", `
		2 │ g   g   .  │ .   .   .  │ .   .   y  │
		1 │[G↑] g   .  │ .   .   .  │ .   .  [Y↑]│`)))
	s = play(t, s, "a1-a2", "i1-i2")
	require.Equal(t, "no-progress", s.Ending())
	v, _ := s.Result()
	require.Equal(t, env.Value{1, -1}, v, "markers are scored as usual")

	s = newGameOf(t, "shacru:players=3,maxturns=1").New().(*State)
	s = play(t, s, "e9-e8", "i5-h5", "a5-b5")
	require.Equal(t, "turn-limit", s.Ending())
}
