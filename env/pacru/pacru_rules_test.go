package pacru

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestPacruPower {R5}: a chevron moves and attacks up to as many fields as its borderland
// has own markers, including the one under it.
func TestPacruPower(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ .   .   .  │ .   .   .  │ .   .   .  │
		2 │ g   .   .  │ .   .   .  │ .   .   .  │
		1 │[G→] y   .  │ .   .   .  │ .   .   Y← │`)
	require.Equal(t, "a1-b2 a1-c1 a1-c3", moves(s, ""), "power 2, over b1 but not onto it")

	picture := func(marker string) string {
		return `
		6 │ .   .   .  │ g   G↓  ` + marker + `  │ .   .   .  │
		5 │ .   .   .  │ .   y   .  │ .   .   .  │
		4 │ .   .   .  │ .   Y→  .  │ .   .   .  │
		3 │ .   .   .  │ G↗  .   .  │ .   .   Y← │`
	}
	require.Equal(t, "e6xe4", moves(drawn(t, "pacru", "G", picture("g")), "e6x"), "power 2; a marker between is no obstacle")
	require.Empty(t, moves(drawn(t, "pacru", "G", picture(".")), "e6x"), "power 1: d3 attacks alone")
}

// TestBorder {R4} {R6} {R7}: a player who crosses a border marks a neutral field of the
// borderland entered: the chevron's own field, or one without a chevron.
func TestBorder(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ .   .   .  │ .   .   y  │ .   .   .  │
		2 │ .   .   G→ │ .   g   .  │ .   .   .  │
		1 │ .   .   .  │ .   Y→  .  │ .   .   .  │`)
	require.Equal(t, "c2-d2(d1) c2-d2(d2) c2-d2(d3) c2-d2(e3) c2-d2(f1) c2-d2(f2)", moves(s, "c2-d2"))
	s = play(t, s, "c2-d2(f2)")
	require.Equal(t, "e2 f2", marked(s, 0), "d2 stays neutral")

	s = drawn(t, "pacru", "G", `
		3 │ .   .   .  │ y   y   y  │ .   .   .  │
		2 │ .   .   G→ │ .   g   g  │ .   .   .  │
		1 │ .   .   .  │ y   Y→  y  │ .   .   .  │`)
	require.Equal(t, "c2-d2(d2)", moves(s, "c2-d2"), "one field: no choice")
	require.Len(t, s.Legal(nil), 1+2, "and two turns on the spot")
}

// TestOccupiedNeutral {R10}, ruling 15: if all neutral fields are occupied, there is no
// benefit and no transformation.
func TestOccupiedNeutral(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ .   .   .  │ y   y   y  │ .   .   .  │
		2 │ .   .   G→ │ g   g   g  │ .   .   .  │
		1 │ .   .   .  │ y   Y→  y  │ .   .   .  │`)
	require.Equal(t, "c2-d2", moves(s, "c2-d2"), "e1 is neutral under Yellow's chevron")
}

// TestTransformation {R10}: without a neutral field, a field of another colour without a
// chevron is taken over.
func TestTransformation(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ .   .   .  │ y   y   g  │ .   .   .  │
		2 │ .   .   G→ │ g   g   g  │ .   .   .  │
		1 │ .   .   .  │ g  [Y→] g  │ .   .   .  │`)
	require.Equal(t, "c2-d2(d3) c2-d2(e3)", moves(s, "c2-d2"))
	s = play(t, s, "c2-d2(e3)")
	require.Equal(t, "e1 d3", marked(s, 1))

	s = drawn(t, "pacru", "G", `
		3 │ .   .   .  │ g   g   g  │ .   .   .  │
		2 │ .   .   G→ │ g   g   g  │ .   .   .  │
		1 │ .   .   .  │ g  [Y→] g  │ .   .   .  │`)
	require.Equal(t, "c2-d2", moves(s, "c2-d2"), "nothing to gain")
}

// TestConnectOrBorder {R8} {R13}: a move that both connects own markers and crosses a
// border brings one of the two benefits, even if the connection changes nothing.
func TestConnectOrBorder(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ g   .   .  │ g   g   .  │ .   .   .  │
		2 │ g   .   .  │ .   g   g  │ .   .   .  │
		1 │[G→] y   .  │ g   g   g  │ .   .   Y← │`)
	require.Equal(t, "a1-d1(*) a1-d1(d2) a1-d1(f3)", moves(s, "a1-d1"))
	s2 := play(t, s, "a1-d1(*)")
	require.Equal(t, "a1 b1 c1 d1 e1 f1 a2 e2 f2 a3 d3 e3", marked(s2, 0))
	require.True(t, s2.alive(0), "in Pacru the chevron stays")
	require.Equal(t, "a1-c1", moves(s, "a1-c1"), "c1 was neutral, and no border crossed")

	s = drawn(t, "pacru", "G", `
		2 │ .   .   .  │ .   .   .  │ .   .   .  │
		1 │[G→] g   g  │ g   .   .  │ .   .   Y← │`)
	require.Contains(t, moves(s, "a1-d1"), "a1-d1(*) a1-d1(d2)", "a connection of own fields")
	require.Equal(t, "a1-c1(*)", moves(s, "a1-c1"), "and without a choice it is made")
	require.EqualValues(t, 1, play(t, s, "a1-c1(*)").quiet)
}

// TestJump {R9}: a connection jump crosses borders like any move, but connects nothing.
func TestJump(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ g   .   .  │ g   g   .  │ .   .   .  │
		2 │ g   .   .  │ .   g   g  │ .   .   .  │
		1 │[G→] .   Y→ │ g   g   g  │ .   .   .  │`)
	require.Equal(t, "a1-d1(d2) a1-d1(f3)", moves(s, "a1-d1"))
}

// TestPincer {R11}: two attackers capture a chevron, whichever of them moves and whatever
// it stands on. Fields reached through a jump are not attacked.
func TestPincer(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		5 │ .   .   .  │ .   G↓  .  │ .   .   .  │
		4 │ .   .   .  │ .  [Y→] .  │ .   .   .  │
		3 │ .   .   .  │ G↗  .   .  │ .   .   Y← │`)
	require.Equal(t, "d3-d4(d4) d3-d4(d5) d3-d4(d6) d3-d4(e6) d3-d4(f4) d3-d4(f5) d3-d4(f6)", moves(s, "d3-d4"))
	require.Equal(t, "e5xe4", moves(s, "e5x"), "within a borderland")
	require.Contains(t, moves(s, "d3x"), "d3xe4(d4) d3xe4(d5)", "across a border, after e4 is Green's")
	require.NotContains(t, moves(s, "d3x"), "(e4)")
	s = play(t, s, "e5xe4")
	require.Equal(t, "e4", marked(s, 0))
	require.Empty(t, marked(s, 1))
	require.EqualValues(t, 1, s.count[1])

	s = drawn(t, "pacru", "G", `
		5 │ .   .   .  │ .   G↓  .  │ .   .   .  │
		4 │ .   .   .  │ .   Y→  .  │ .   .   .  │
		3 │ .   .   .  │ .   .   .  │ .   .   Y← │`)
	require.Empty(t, moves(s, "e5x"), "one attacker")

	s = drawn(t, "pacru", "G", `
		6 │ .   .   .  │ .  [G↓] .  │ .   .   .  │
		5 │ .   .   .  │ g  [G↓] g  │ .   .   .  │
		4 │ .   .   .  │ .   Y→  .  │ .   .   .  │
		3 │ .   .   .  │ .   .   .  │ .   .   Y← │`)
	require.Empty(t, moves(s, "e5x"), "e6 is behind e5 and does not attack")
}

// TestPincerTakesLastNeutral {R11} {R10}, ruling 17: the borderland is examined after the
// pincer has coloured its field.
func TestPincerTakesLastNeutral(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		6 │ .   .   .  │ g   g   g  │ .   .   .  │
		5 │ .   .   .  │ g  [G↓] g  │ .   .   .  │
		4 │ .   .   .  │ y   Y→  g  │ .   .   .  │
		3 │ .   .   .  │ G↗  .   .  │ .   .   Y← │`)
	require.Equal(t, "d3xe4(d4)", moves(s, "d3x"), "not e4, the last neutral field")
	s = drawn(t, "pacru", "G", `
		6 │ .   .   .  │ g   g   g  │ .   .   .  │
		5 │ .   .   .  │ g   G↓  g  │ .   .   .  │
		4 │ .   .   .  │ y   Y→  g  │ .   .   .  │
		3 │ .   .   .  │ G↗  .   .  │ .   .   Y← │`)
	require.Equal(t, "d3xe4", moves(s, "d3x"), "e5 is still neutral, but occupied")
}

// TestMeeting {R12}: after a meeting of two chevrons, face to face on own markers, the
// player may mark any field without a chevron, including the one just left, or none.
func TestMeeting(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ G↓  .   .  │ .   .   .  │ .   .   y  │
		2 │ g   .   .  │ .   .   .  │ .   .   .  │
		1 │[G↑] .   .  │ .   .   .  │ .   .   Y← │`)
	begun := new(State)
	begun.CopyFrom(s)
	a, err := env.ParseAction(s, "a3-a2")
	require.NoError(t, err)
	begun.Play(a)
	require.Equal(t, meeting, begun.phase)
	require.Len(t, begun.Legal(nil), 81-3+1, "all fields but a1, a2 and i1, or skip")
	for _, turn := range []string{"a3-a2", "a3-a2(a3)", "a3-a2(i3)"} {
		require.Contains(t, moves(s, "a3-a2"), turn)
	}
	require.Equal(t, "a1 a2 a3", marked(play(t, s, "a3-a2(a3)"), 0))
	require.Empty(t, marked(play(t, s, "a3-a2(i3)"), 1))
	require.EqualValues(t, 1, play(t, s, "a3-a2").quiet)

	s = drawn(t, "pacru", "G", `
		3 │ G↓  .   .  │ .   .   .  │ .   .   y  │
		2 │ g   .   .  │ .   .   .  │ .   .   .  │
		1 │[G↗] .   .  │ .   .   .  │ .   .   Y← │`)
	require.Equal(t, "a3-a2", moves(s, "a3-a2"), "a1 faces elsewhere")
	s = drawn(t, "pacru", "G", `
		3 │ G↓  .   .  │ .   .   .  │ .   .   y  │
		2 │ g   .   .  │ .   .   .  │ .   .   .  │
		1 │ G↑  .   .  │ .   .   .  │ .   .   Y← │`)
	require.Equal(t, "a3-a2", moves(s, "a3-a2"), "a1 is neutral")

	// A turn on the spot makes no meeting.
	s = drawn(t, "pacru", "G", `
		3 │[G↘] .   .  │ .   .   .  │ .   .   y  │
		2 │[G↑] g   g  │ .   .   .  │ .   .   .  │
		1 │ .   .   .  │ .   .   .  │ .   .   Y← │`)
	require.EqualValues(t, 1, play(t, s, "a3>(b2,c2)").Turn())
}

// TestMeetingAfterBenefit {R12} {R8} {R4}: the benefit of a move comes first, and a meeting
// may follow both kinds.
func TestMeetingAfterBenefit(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ g   .   .  │ .   .   .  │ .   .   .  │
		2 │ g   .   .  │ .   .   .  │ .   .   .  │
		1 │[G→] y   .  │ g  [G←] .  │ .   .   Y← │`)
	both := play(t, s, "a1-d1(*,h5)")
	require.Equal(t, "a1 b1 c1 d1 e1 a2 a3 h5", marked(both, 0))
	require.Equal(t, "a1 d1 e1 a2 d2 a3 h5", marked(play(t, s, "a1-d1(d2,h5)"), 0))
	require.Equal(t, "a1 d1 e1 a2 d2 a3", marked(play(t, s, "a1-d1(d2)"), 0), "declined")
	require.NotContains(t, moves(s, "a1-d1("), "a1-d1(d2,d2)", "that field is Green's by then")
}

// TestMeetingThreshold {R12}, rulings 24 to 26: with meeting=9 another player, even one who
// is out, must have nine markers after the move and before its benefit.
func TestMeetingThreshold(t *testing.T) {
	picture := func(last string) string {
		return `
		9 │ y   y   y  │ y   y   y  │ y   y   .  │
		4 │ .   .   .  │ .   .   .  │ .   .   ` + last + `  │
		3 │ G↓  .   .  │ .   .   .  │ .   .   .  │
		2 │ g   .   .  │ .   .   .  │ .   .   .  │
		1 │[G↑] .   .  │ .   .   .  │ .   .   R← │`
	}
	for last, want := range map[string]bool{".": false, "y": true} {
		for game, always := range map[string]bool{"pacru:players=4,meeting=9": false, "pacru:players=4": true} {
			s := drawn(t, game, "G", picture(last))
			require.Equal(t, want || always, moves(s, "a3-a2") != "a3-a2", "%s: Yellow, who is out, has eight or nine", game)
		}
	}
	// Green's border marker takes Yellow's ninth: too late to matter.
	s := drawn(t, "pacru:meeting=9", "G", `
		7 │ .   .   .  │ .   .   .  │ .   .   Y↓ │
		4 │ G↓  .   .  │ .   .   .  │ .   .   .  │
		3 │ g   y   y  │ .   .   .  │ .   .   .  │
		2 │[G↑] y   y  │ .   .   .  │ .   .   .  │
		1 │ y   y   y  │ y   y   .  │ .   .   .  │`)
	require.Contains(t, moves(s, "a4-a3(b3,"), "a4-a3(b3,a4) ")
	s = play(t, s, "a4-a3(b3,a4)")
	require.Equal(t, 8, s.marks[1].len())
}

// TestSpotTurns {R14}: a turn on the spot costs exactly two or four own markers without a
// chevron. There are 2*chevrons*(C(k,2)+C(k,4)) of them, each with one sequence of actions.
func TestSpotTurns(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ .   .   .  │ .   .   .  │ .   .   g  │
		2 │ g   g   .  │ .   .   .  │ .   .   .  │
		1 │[G↙] g   g  │ .   .   .  │ .   G↑  Y← │`)
	require.EqualValues(t, 2*2*(10+5), s.SpotTurns())
	seen := map[string]int{}
	s.complete(true, nil, func(turn Turn) {
		if turn.After.move.kind == turning {
			seen[turn.Move]++
			require.Equal(t, 6-cost(turn.After.move.angle), turn.After.marks[0].len())
			require.True(t, turn.After.marks[0].has(0), "a1 is occupied")
		}
	})
	require.Len(t, seen, 60)
	for name, n := range seen {
		require.Equal(t, 1, n, name)
	}
	require.Equal(t, chevron{0, 7}, play(t, s, "a1>>(b1,c1,a2,b2)").own(0)[0])
	require.Contains(t, seen, "h1<<(c1,a2,b2,i3)", "towards the edge")

	s = drawn(t, "pacru", "G", `
		2 │ g   .   .  │ .   .   .  │ .   .   .  │
		1 │[G↑] g   .  │ .   .   .  │ .   .   Y← │`)
	require.EqualValues(t, 2, s.SpotTurns(), "two markers pay for 45 degrees either way, with no choice left")
	require.Len(t, s.Legal(nil), 6+2)
	for _, turn := range []string{"a1<(b1,a2)", "a1>(b1,a2)"} {
		actions, err := s.ParseTurn(turn)
		require.NoError(t, err)
		require.Len(t, actions, 1)
	}
	long := strings.Repeat("b1,", 1000)
	for _, turn := range []string{"a1<(b1,a1)", "a1<(b1)", "a1<", "a1>>(b1,a2)", "a1<(a2,b1)", long, "a1" + long, "a1<(" + long + ")"} {
		_, err := s.ParseTurn(turn)
		require.Error(t, err, turn)
		require.Less(t, len(err.Error()), 400)
	}
}

// TestBlocked {R15}: a player who has no move at the beginning of a turn is out, even if
// able to turn on the spot. The player's markers stay, and the next seat can use the
// vacated fields.
func TestBlocked(t *testing.T) {
	s := drawn(t, "pacru:players=3", "Y", `
		3 │ .   .   .  │ .   .   .  │ .   .   .  │
		2 │ B→  .   .  │ .   .   .  │ .   .   .  │
		1 │ .   .   r  │ r   .   Y↑ │ .   .   R↓ │`)
	s = play(t, s, "f1-f2")
	require.False(t, s.alive(1), "Red faces off the board")
	require.Equal(t, "c1 d1", marked(s, 1))
	require.EqualValues(t, 2, s.Turn())
	require.Equal(t, [4]int8{1, 3, 1}, s.Ranking())
	require.Len(t, s.Legal(nil), 3)

	// Two of three players are blocked in succession, so the last one wins.
	s = drawn(t, "pacru:players=3", "Y", `
		2 │ B←  .   .  │ .   .   .  │ .   .   .  │
		1 │ .   .   .  │ .   .   Y↑ │ .   .   R↓ │`)
	s = play(t, s, "f1-f2")
	require.Equal(t, "last-player", s.Ending())
	v, _ := s.Result()
	require.Equal(t, env.WinFor(0, 3), v)
	require.Equal(t, [4]int8{1, 3, 2}, s.Ranking(), "Red fell first")

	// A chevron that blocked the next seat is gone when that seat is examined.
	s = drawn(t, "pacru:players=3", "Y", `
		2 │ .   .   .  │ .   .   .  │ .   r   r  │
		1 │ .   .   .  │ .   .   Y↑ │ r   B→  R↓ │`)
	s = play(t, s, "f1-f2")
	require.EqualValues(t, 2, s.Turn())
	require.Equal(t, "h1-i1", moves(s, ""))
}

// TestTarget {R16}: 42, 28 or 24 markers at the end of a turn win.
func TestTarget(t *testing.T) {
	for game, want := range map[string]int{"pacru": 42, "pacru:players=3": 28, "pacru:players=4": 24} {
		s := newGameOf(t, game).New().(*State)
		require.Equal(t, want, s.target())
	}
	picture := func(extra string) string {
		return `
		9 │ .   .   .  │ .   .   .  │ .   .   .  │
		6 │ .   .   .  │ .   .   .  │ .   .   Y↑ │
		4 │ .   .   .  │ .   .   .  │ .   .   .  │
		3 │ y   y   y  │ y   y   y  │ y   y   .  │
		2 │ y   y   y  │ y   y   y  │ y   y   R↑ │
		1 │ y   y   y  │ y   y   ` + extra + `  │ y   .   B↑ │`
	}
	s := drawn(t, "pacru:players=4", "Y", picture("y"))
	require.Equal(t, 23, s.marks[0].len())
	for _, turn := range []string{"i6-i7(i7)", "i6-h7(g8)"} {
		won := play(t, s, turn)
		require.Equal(t, "target", won.Ending())
		v, _ := won.Result()
		require.Equal(t, env.WinFor(0, 4), v)
	}
	s = drawn(t, "pacru:players=4", "Y", picture("."))
	require.Equal(t, "", play(t, s, "i6-i7(i7)").Ending())

	// The target may be exceeded.
	s = drawn(t, "pacru:players=4", "Y", `
		9 │ y   .   .  │ .   .   .  │ .   .   .  │
		8 │ .   .   .  │ .   R↓  .  │ .   B↓  .  │
		6 │[Y↑] y   y  │ .   .   .  │ .   .   .  │
		3 │ y   .   .  │ .   .   .  │ .   .   .  │
		2 │ y   y   y  │ y   y   y  │ y   y   y  │
		1 │ y   y   y  │ y   y   y  │ y   y   y  │`)
	s = play(t, s, "a6-a9(*)")
	require.Equal(t, 25, s.marks[0].len())
	require.Equal(t, "target", s.Ending())
}

// TestPacruLimit (6): at a limit, the players who are alive are ranked by markers.
func TestPacruLimit(t *testing.T) {
	s := newGameOf(t, "pacru:players=3,noprogress=1").New().(*State)
	require.NoError(t, s.SetPosition(positionOf(t, s, "Y", `
		8 │ r   r   r  │ .   .   .  │ .   .   .  │
		2 │ .   .   .  │ .   .   .  │ .   .   .  │
		1 │ Y↑  .   .  │ .   .   .  │ .   .   B↑ │`)))
	s = play(t, s, "a1-a2", "i1-i2", "a2-a3")
	require.Equal(t, "no-progress", s.Ending())
	v, _ := s.Result()
	require.Equal(t, env.Value{0.25, -0.5, 0.25}, v, "Red is out: his markers do not count")
	require.Equal(t, [4]int8{1, 3, 1}, s.Ranking())
}
