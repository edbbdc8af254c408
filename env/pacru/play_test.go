package pacru

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
)

// choose picks a random action, but rarely a turn on the spot: with too many of them no
// player ever owns much, and little happens.
func (s *State) choose(rng *rand.Rand, legal []env.Action) env.Action {
	for range 3 {
		a := legal[rng.IntN(len(legal))]
		if s.phase != begin || !s.onSpot(a) {
			return a
		}
	}
	return legal[rng.IntN(len(legal))]
}

// TestMidgame continues from every golden position, where turns have more decisions than in
// random games from the start, first through a meeting if there is one. It checks position
// strings, symmetries and invariants of every position.
func TestMidgame(t *testing.T) {
	phases := map[phase]int{}
	kinds := map[moveKind]int{}
	for i, r := range golden(t) {
		if i%effort.Of(4, 4, 1) != 0 {
			continue
		}
		s := r.state(t)
		rng := env.NewRand(uint64(i))
		var legal, script []env.Action
		for _, turn := range s.Turns() {
			if turn.After.move.met && (script == nil || rng.IntN(20) == 0) {
				script = turn.Actions
			}
		}
		for range 12 {
			phases[s.phase]++
			kinds[s.move.kind]++
			checkInvariants(t, s)
			checkReadBack(t, s)
			checkImage(t, s, rng.IntN(8), rng)
			if legal = s.Legal(legal[:0]); len(legal) == 0 {
				break
			}
			if len(script) > 0 {
				s.Play(script[0])
				script = script[1:]
			} else {
				s.Play(s.choose(rng, legal))
			}
		}
	}
	for p := begin; p <= giving; p++ {
		require.Greater(t, phases[p], 5, "phase %d", p)
	}
	for k := nothing; k <= passing; k++ {
		require.Greater(t, kinds[k], 5, "kind %d", k)
	}
}

// checkInvariants checks that a position satisfies the rules.
func checkInvariants(t testing.TB, s *State) {
	var marks, taken set
	for p := range s.players {
		require.True(t, s.marks[p].and(marks).empty(), "a field has one marker: %s", s)
		marks = marks.or(s.marks[p])
		own := s.own(p)
		require.LessOrEqual(t, len(own), s.eachStarts())
		for i, c := range own {
			require.False(t, taken.has(c.field), "a field has one chevron: %s", s)
			require.False(t, s.foreign(p).has(c.field), "on a neutral field or an own marker: %s", s)
			require.True(t, i == 0 || own[i-1].field < c.field, "ascending: %s", s)
			taken.add(c.field)
		}
	}
	require.Equal(t, s.taken, taken)
	require.Equal(t, fields, marks.len()+s.neutral().len())
	require.True(t, marks.and(s.neutral()).empty())
	require.True(t, s.still == 0 || s.quiet <= s.still)
	require.LessOrEqual(t, s.turns, s.maxTurns)
	require.Equal(t, s.ending != unfinished, bits.OnesCount8(s.winners) > 0)
}

// checkReadBack checks that the position string restores the position.
func checkReadBack(t testing.TB, s *State) {
	c := State{rules: s.rules}
	require.NoError(t, c.SetPosition(s.Position()))
	require.Equal(t, s.Position(), c.Position())
	require.Equal(t, s.Legal(nil), c.Legal(nil), s)
	require.Equal(t, s.board, c.board)
	if s.phase != begin {
		require.Equal(t, s.mayMeet, c.mayMeet, s)
		require.True(t, s.changed == c.changed || s.move.benefit == onLink, s)
		require.Equal(t, s.move.pack(), c.move.pack(), s)
	}
	require.Equal(t, s.ending == unfinished, c.ending == unfinished)
	ready := 0 // seats at the target, at most one in reachable positions
	for p := range s.players {
		if s.alive(p) && s.marks[p].len() >= s.target() {
			ready++
		}
	}
	if s.kind != pacru || s.ending == lastPlayer || s.ending == reached && ready == 1 {
		require.Equal(t, s.winners, c.winners, s)
	}
}

// checkImage checks that playing an action and taking the image commute.
func checkImage(t testing.TB, s *State, n int, rng *rand.Rand) {
	var image, next State
	image.SetImage(s, n)
	legal := s.Legal(nil)
	if len(legal) == 0 {
		require.Empty(t, image.Legal(nil))
		return
	}
	for _, a := range []env.Action{legal[0], s.choose(rng, legal)} {
		played := image
		to := env.Action(s.imageOf(&geo.image[n], int(a)))
		require.Contains(t, image.Legal(nil), to, "symmetry %d, %s in %s", n, s.ActionString(a), s)
		played.Play(to)
		next = *s
		next.Play(a)
		next.SetImage(&next, n)
		require.Equal(t, next.Position(), played.Position())
		require.Equal(t, next.Hash(), played.Hash())
	}
}

// TestGivingInOrder: for every facing and angle of a turn on the spot, each choice of
// fields has exactly one sequence of actions; the same then holds for images.
func TestGivingInOrder(t *testing.T) {
	s := newGameOf(t, "pacru").New().(*State)
	for facing := range uint8(directions) {
		for _, angle := range []string{"<<", "<", ">", ">>"} {
			const markers = "0.0...0...............00............................................0............"
			require.NoError(t, s.SetPosition("2;0;"+markers+";e5:0"+facingNames[facing]+",a9:1N,i9:1SW;-"))
			seen := map[string]int{}
			s.complete(true, nil, func(turn Turn) {
				if strings.HasPrefix(turn.Move, "e5"+angle+"(") {
					seen[turn.Move]++
				}
			})
			require.Len(t, seen, 15, "C(6,2) or C(6,4)")
			for move, n := range seen {
				require.Equal(t, 1, n, move)
			}
		}
	}
}

// TestBadPositions: errors describe the fault of a position.
func TestBadPositions(t *testing.T) {
	const four = ";a1:0N,c3:0S,a9:1N,i9:1SW;-"
	for pos, want := range map[string]string{
		"2;0;" + everyField:                                      "3 parts",
		"3;0;" + everyField + four:                               `players is "3"`,
		"2;0;" + everyField[1:] + four:                           "80 markers",
		"2;0;2" + everyField[1:] + four:                          `marker on a1: seat "2"`,
		"2;0;1" + everyField[1:] + four:                          "stands on another seat's marker",
		"2;2;" + everyField + four:                               `turn: seat "2"`,
		"2;0;" + everyField + ";a1:0N,a1:1N;-":                   "has another chevron",
		"2;0;" + everyField + ";a1:0X;-":                         `facing "X"`,
		"2;0;" + everyField + ";a1:;-":                           `seat ""`,
		"2;0;" + everyField + ";j1:0N;-":                         `"j1" is not a field`,
		"2;0;" + everyField + ";a1:0N;0":                         "only Azacru has a final round",
		"2;0;" + everyField + ";a1:0S,b1:1N;-":                   "no move and is therefore out",
		"2;0;" + everyField + ";b1:1N;-":                         "seat 0, which has no chevron",
		"2;0;" + everyField + ";b1:0N;-":                         "only seat 0 has chevrons",
		"2;0;" + everyField + four + ";a1-b2(":                   "must be at its destination",
		"2;0;" + everyField + four + ";b3-c3(":                   "must be at its destination",
		"2;0;" + everyField + four + ";c5-c3(,":                  "the benefit before the meeting is missing",
		"2;0;" + everyField + four + ";a1>(":                     "0 fields are left to choose from",
		"2;0;" + everyField + four + ";a1>(b1,b2,":               "2 fields are given",
		"2;0;" + everyField + four + ";pass(":                    "is not the beginning of a move string",
		"2;-;" + everyField + four + ";c4-c3(":                   "the game is over",
		"2;-;" + everyField + ";;-":                              "no seat has a chevron",
		"2;0;" + everyField + ";a1:0N,b1:0N,c1:0N,d1:0N,e1:0N;-": "more than 4",
	} {
		s := newGameOf(t, "pacru").New().(*State)
		before := *s
		err := s.SetPosition(pos)
		require.ErrorContains(t, err, want, pos)
		require.Equal(t, before, *s)
	}
	s := newGameOf(t, "pacru").New().(*State)
	require.NoError(t, s.SetPosition("2;0;"+everyField+four+";c4-c3("))
	require.Equal(t, benefiting, s.phase, "unlike the rejected positions")
	s = newGameOf(t, "azacru").New().(*State)
	require.ErrorContains(t, s.SetPosition("2;0;"+everyField+";a1:0N,i1:1N;0"), "the first to pass")
	require.ErrorContains(t, s.SetPosition("2;0;"+everyField+";a1:0N,i1:1N;-;a1-a2("), "turns of this game are one action")
}

// FuzzPosition: strings are rejected, or unchanged after parsing and formatting, and their
// positions can be played.
func FuzzPosition(f *testing.F) {
	for i, r := range golden(f) {
		if i%40 == 0 {
			f.Add(r.Pos, uint64(i))
		}
	}
	f.Add("2;0;"+everyField+";a1:0N,c3:0S,a9:1N,i9:1SW;-;c4-c3(", uint64(1))
	var games []*Game
	for _, name := range every() {
		games = append(games, newGameOf(f, name))
	}
	f.Fuzz(func(t *testing.T, pos string, seed uint64) {
		for _, g := range games {
			s := g.New().(*State)
			if s.SetPosition(pos) != nil {
				require.Equal(t, g.start, *s)
				continue
			}
			rng := env.NewRand(seed)
			for range 8 {
				checkInvariants(t, s)
				checkReadBack(t, s)
				legal := s.Legal(nil)
				if len(legal) == 0 {
					break
				}
				s.Play(s.choose(rng, legal))
			}
		}
	})
}

// FuzzMove: a move string is rejected or equals the notation of its turn.
func FuzzMove(f *testing.F) {
	all := golden(f)
	for i, r := range all {
		if i%20 == 0 {
			f.Add(uint16(i), r.Move)
		}
	}
	f.Fuzz(func(t *testing.T, record uint16, move string) {
		s := all[int(record)%len(all)].state(t)
		if actions, err := s.ParseTurn(move); err == nil {
			for _, a := range actions {
				require.NoError(t, env.CheckAction(s, a))
				s.Play(a)
			}
			require.Equal(t, move, s.LastTurn())
		}
	})
}

// FuzzPlay plays a game with one action per byte, and finishes it at random.
func FuzzPlay(f *testing.F) {
	for i := range uint8(24) {
		f.Add(i, []byte{i, 7 * i, 3, 0, 255, 9})
	}
	var games []*Game
	for _, name := range every() {
		games = append(games, newGameOf(f, name))
	}
	f.Fuzz(func(t *testing.T, n uint8, choices []byte) {
		g := games[int(n)%len(games)]
		s := g.New().(*State)
		rng := env.NewRand(uint64(n), uint64(len(choices)))
		var legal []env.Action
		for ply := 0; ; ply++ {
			checkInvariants(t, s)
			if legal = s.Legal(legal[:0]); len(legal) == 0 {
				break
			}
			require.Less(t, ply, g.spec.MaxPlies)
			require.True(t, slices.IsSorted(legal))
			if ply < len(choices) {
				s.Play(legal[int(choices[ply])*len(legal)/256])
			} else {
				s.Play(s.choose(rng, legal))
			}
		}
		require.NotEmpty(t, s.Ending())
		checkReadBack(t, s)
	})
}

// TestMeetingsDoNotAllocate covers meetings, which are rare in random games.
func TestMeetingsDoNotAllocate(t *testing.T) {
	x := make([]float32, newGameOf(t, "pacru:players=4").Spec().Inputs())
	legal := make([]env.Action, 0, policyActions)
	for _, r := range golden(t) {
		s := r.state(t)
		for _, turn := range s.Turns() {
			if !turn.After.move.met {
				continue
			}
			c := new(State)
			require.Zero(t, testing.AllocsPerRun(1, func() {
				c.CopyFrom(s)
				for _, a := range turn.Actions {
					legal = c.Legal(legal[:0])
					c.Observe(x[:c.planes()*fields])
					c.Hash()
					c.Play(a)
				}
			}), r.ID)
			break
		}
	}
}

// policyActions is an upper bound on the number of actions in all games.
const policyActions = 73 * fields
