package igo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	igo "tiro/env/go"
	"tiro/env/grid"
)

func newGame(t testing.TB, text string) env.Game {
	t.Helper()
	_, o, err := env.ParseName(text)
	require.NoError(t, err)
	game, err := igo.New(o)
	require.NoError(t, err)
	return game
}

// play plays the moves on s.
func play(t testing.TB, s env.State, moves string) {
	t.Helper()
	for move := range strings.FieldsSeq(moves) {
		a, err := env.ParseAction(s, move)
		require.NoError(t, err)
		s.Play(a)
	}
}

// position returns the position with the given rows from the top on a board of 5 by 5.
func position(t testing.TB, options, mover string, rows ...string) env.State {
	t.Helper()
	s := newGame(t, "go:size=5"+options).New()
	require.NoError(t, s.(env.Positioner).SetPosition(strings.Join(rows, "/")+" "+mover))
	return s
}

func legal(s env.State, move string) bool {
	_, err := env.ParseAction(s, move)
	return err == nil
}

func TestConformance(t *testing.T) {
	for _, text := range []string{"go", "go:size=5", "go:size=6,komi=0.5,suicide=true", "go:size=7,handicap=4", "go:size=19,komi=6.5"} {
		t.Run(text, func(t *testing.T) { envtest.Run(t, newGame(t, text)) })
	}
}

func TestOptions(t *testing.T) {
	require.Equal(t, "go:size=13,komi=7.5", newGame(t, "go:komi=7.5,size=13").Spec().Name)
	require.Equal(t, "go", newGame(t, "go:komi=7").Spec().Name)
	require.Equal(t, "go:komi=6.5", newGame(t, "go:komi=+06.5").Spec().Name)
	require.Equal(t, "go", newGame(t, "go:komi=007").Spec().Name)
	for text, want := range map[string]string{
		"go:komi=20.5":           "komi=20.5",
		"go:komi=-1":             "komi=-1",
		"go:komi=-0.5":           "komi=-0.5",
		"go:komi=7.25":           "komi=7.25",
		"go:size=4":              "size=4",
		"go:size=5,handicap=2":   "handicap=2",
		"go:size=10,handicap=5":  "handicap=5",
		"go:handicap=1":          "handicap=1",
		"go:suicide=yes,komi=+1": "suicide=yes",
	} {
		_, o, err := env.ParseName(text)
		require.NoError(t, err)
		_, err = igo.New(o)
		require.ErrorContains(t, err, want, text)
	}
}

// TestCapture: one move captures two chains, and their points become liberties.
func TestCapture(t *testing.T) {
	s := position(t, "", "b",
		"OOX..",
		"X.OX.",
		".XOX.",
		"..X..",
		".....")
	play(t, s, "b4")
	require.Equal(t, "..X../XX.X./.X.X./..X../..... w", s.String())
	require.True(t, legal(s, "a5"))
}

// TestSuicide: a move without a liberty is legal only if it captures or with the option
// suicide.
func TestSuicide(t *testing.T) {
	rows := []string{
		".XO..",
		"XXO..",
		"OOO..",
		".....",
		".....",
	}
	s := position(t, "", "w", rows...)
	require.True(t, legal(s, "a5"), "it captures")
	s = position(t, "", "b", rows...)
	require.False(t, legal(s, "a5"), "three stones without a liberty")
	s = position(t, ",suicide=true", "b", rows...)
	play(t, s, "a5")
	require.Equal(t, "..O../..O../OOO../...../..... w", s.String())
	s = position(t, ",suicide=true", "w", ".X...", "X....", ".....", ".....", ".....")
	require.False(t, legal(s, "a5"), "a single stone would repeat the position")
}

// TestKo: the stone that captured in a ko cannot be recaptured at once, but after two moves
// elsewhere.
func TestKo(t *testing.T) {
	s := position(t, "", "b",
		".XO..",
		"XO.O.",
		".XO..",
		".....",
		".....")
	play(t, s, "c4")
	require.Equal(t, ".XO../X.XO./.XO../...../..... w b4", s.String(), "the position names the point of the ko")
	require.False(t, legal(s, "b4"))
	again := position(t, "", "w b4", ".XO..", "X.XO.", ".XO..", ".....", ".....")
	require.False(t, legal(again, "b4"))
	play(t, again, "e1 a1")
	require.True(t, legal(again, "b4"))
	observation := make([]float32, 14*25)
	s.Observe(observation)
	require.EqualValues(t, 1, observation[8*25+3*5+1], "the plane of forbidden points")
	play(t, s, "e1 a1")
	require.True(t, legal(s, "b4"))
}

// TestPositionalSuperko: in random games, a move that is legal without a history is illegal if
// and only if it repeats the stones of an earlier position.
func TestPositionalSuperko(t *testing.T) {
	for _, text := range []string{"go:size=5", "go:size=5,suicide=true"} {
		t.Run(text, func(t *testing.T) {
			const pass = 25
			game, repetitions := newGame(t, text), 0
			stones := func(s env.State) string { return strings.Fields(s.String())[0] }
			for seed := range uint64(40) {
				rng, s, seen := env.NewRand(seed), game.New(), map[string]bool{}
				for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
					seen[stones(s)] = true
					fresh, next := game.New(), game.New()
					require.NoError(t, fresh.(env.Positioner).SetPosition(strings.Join(strings.Fields(s.String())[:2], " ")))
					for _, a := range fresh.Legal(nil) {
						if a == pass {
							continue
						}
						next.CopyFrom(fresh)
						next.Play(a)
						repeats := seen[stones(next)]
						require.Equal(t, !repeats, slices.Contains(legal, a), "%s in %s, seed %d", s.ActionString(a), s, seed)
						if repeats {
							repetitions++
						}
					}
					s.Play(legal[rng.IntN(max(1, len(legal)-1))]) // a pass only if there is nothing else
				}
			}
			require.Greater(t, repetitions, 10)
		})
	}
}

// TestLiberties compares the planes of liberties with a search of each stone's chain, in random
// games.
func TestLiberties(t *testing.T) {
	const size, points = 7, 49
	game := newGame(t, "go:size=7,suicide=true")
	planes := make([]float32, game.Spec().Inputs())
	for seed := range uint64(5) {
		rng, s := env.NewRand(seed), game.New()
		for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
			at := s.(grid.Position).At
			s.Observe(planes)
			for p := range points {
				seen, liberties := map[int]bool{}, 0
				var search func(q int)
				search = func(q int) {
					if seen[q] || at(q) != 0 && at(q) != at(p) {
						return
					}
					seen[q] = true
					if at(q) == 0 {
						liberties++
						return
					}
					for _, d := range [...]int{-size, -1, 1, size} {
						if r := q + d; r >= 0 && r < points && (r/size == q/size || r%size == q%size) {
							search(r)
						}
					}
				}
				search(p)
				for side, colour := range [...]int{1 + int(s.Turn()), 2 - int(s.Turn())} {
					for n := 1; n <= 3; n++ {
						shown := planes[(1+3*side+n)*points+p] == 1
						require.Equal(t, at(p) == colour && liberties == n, shown, "%s in %s, seed %d", s.ActionString(env.Action(p)), s, seed)
					}
				}
			}
			s.Play(legal[rng.IntN(max(1, len(legal)-1))])
		}
	}
}

// TestScore: regions that border both colours belong to neither player, and komi decides.
func TestScore(t *testing.T) {
	for _, test := range []struct {
		name, options string
		value         float32 // for Black
		rows          [5]string
	}{
		{"Black has 15 points, White 10", ",komi=4.5", 1, [5]string{".....", "XXXXX", "XXXXX", "OOOOO", "....."}},
		{"komi is half a point more", ",komi=5.5", -1, [5]string{".....", "XXXXX", "XXXXX", "OOOOO", "....."}},
		{"a draw", ",komi=5", 0, [5]string{".....", "XXXXX", "XXXXX", "OOOOO", "....."}},
		{"the row between is neutral", ",komi=0", 0, [5]string{".....", "XXXXX", ".....", "OOOOO", "....."}},
		{"an empty board", "", -1, [5]string{".....", ".....", ".....", ".....", "....."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := position(t, test.options, "b", test.rows[:]...)
			play(t, s, "pass pass")
			v, over := s.Result()
			require.True(t, over)
			require.Equal(t, test.value, v[igo.Black])
			require.Equal(t, "two-passes", s.(env.Ender).Ending())
		})
	}
}

// TestHandicap: the stones are placed as by GTP's fixed_handicap, and White begins.
func TestHandicap(t *testing.T) {
	s := newGame(t, "go:handicap=5").New()
	require.Equal(t, env.Player(igo.White), s.Turn())
	for _, point := range []string{"c3", "g7", "g3", "c7", "e5"} {
		require.False(t, legal(s, point))
	}
	require.Equal(t, 5, strings.Count(s.String(), "X"))
	for n, points := range map[int]string{ // of GTP 2, 4.1.1
		2: "d4 q16", 3: "d4 q16 d16", 4: "d4 q16 d16 q4", 5: "d4 q16 d16 q4 k10", 6: "d4 q16 d16 q4 d10 q10",
		7: "d4 q16 d16 q4 d10 q10 k10", 8: "d4 q16 d16 q4 d10 q10 k4 k16", 9: "d4 q16 d16 q4 d10 q10 k4 k16 k10",
	} {
		game := newGame(t, fmt.Sprintf("go:size=19,handicap=%d", n))
		s := game.New()
		for point := range strings.FieldsSeq(points) {
			require.False(t, legal(s, point), "%d: %s", n, point)
		}
		require.Equal(t, n, strings.Count(s.String(), "X"))
	}
	require.Equal(t, 9, strings.Count(newGame(t, "go:size=19,handicap=9").New().String(), "X"))
}

func TestPositionFaults(t *testing.T) {
	s := newGame(t, "go:size=5").New()
	before := s.String()
	for pos, want := range map[string]string{
		"":                                   `to move is ""`,
		"...../...../...../...../.....":      "not b or w",
		"...../...../...../..... b":          "number of rows is 4",
		"...../...../..../...../..... b":     "row 3 is 4",
		"...../...../..#../...../..... b":    "'#' in row 3",
		"...../...../...../...../..... x":    `to move is "x"`,
		"...../...../...../...../..... b i3": `"i3" is not a point to forbid`,
		"X..../...../...../...../..... w a5": `"a5" is not a point to forbid`,
		"XO.../O..../...../...../..... b":    "the chain at a5 has no liberty",
		".X.../X..../...../...../..... w a5": `"a5" is not a point to forbid`,
		"OO.../OO.../OO.../OO.../O.OX. b":    "",
	} {
		err := s.(env.Positioner).SetPosition(pos)
		if want == "" {
			require.NoError(t, err)
			require.NoError(t, s.(env.Positioner).SetPosition(before))
			continue
		}
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, before, s.String())
}

func FuzzPositions(f *testing.F) {
	envtest.FuzzPositions(f, newGame(f, "go:size=5"), newGame(f, "go:suicide=true"))
}

func FuzzMoves(f *testing.F) {
	envtest.FuzzMoves(f, newGame(f, "go:size=5"), newGame(f, "go:suicide=true"))
}
