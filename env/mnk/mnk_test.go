package mnk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/mnk"
)

func newGame(t testing.TB, text string) env.Game {
	t.Helper()
	_, o, err := env.ParseName(text)
	require.NoError(t, err)
	game, err := mnk.New(o)
	require.NoError(t, err)
	return game
}

// at returns the position after the moves.
func at(t testing.TB, game env.Game, moves ...string) env.State {
	t.Helper()
	s := game.New()
	for _, move := range moves {
		a, err := env.ParseAction(s, move)
		require.NoError(t, err)
		s.Play(a)
	}
	return s
}

func TestConformance(t *testing.T) {
	for _, text := range []string{
		"mnk", "mnk:m=2,n=2,k=2", "mnk:m=8,n=8,k=5", "mnk:m=7,n=4,k=4", "mnk:m=2,n=9", "mnk:m=19,n=19,k=5",
	} {
		t.Run(text, func(t *testing.T) { envtest.Run(t, newGame(t, text)) })
	}
}

func TestOptions(t *testing.T) {
	require.Equal(t, "mnk", newGame(t, "mnk:n=3").Spec().Name)
	require.Equal(t, "mnk:m=15,n=15,k=5", newGame(t, "mnk:k=5,n=15,m=15").Spec().Name)

	for text, want := range map[string]string{
		"mnk:m=20":    "game mnk: option m=20: must be a whole number from 2 to 19",
		"mnk:size=8":  `game mnk: unknown option "size" (m, n, k)`,
		"mnk:m=4,k=5": "game mnk:m=4,k=5: option k=5: must be at most 4, the longer side",
	} {
		_, o, err := env.ParseName(text)
		require.NoError(t, err)
		_, err = mnk.New(o)
		require.EqualError(t, err, want)
	}
}

func TestEndings(t *testing.T) {
	games := []struct {
		name, game string
		moves      []string
		value      env.Value
		ending     string
	}{
		{"row", "mnk", []string{"a1", "a2", "b1", "b2", "c1"}, env.WinFor(0, 2), "k-in-row"},
		{"column, by o", "mnk", []string{"b1", "a1", "b2", "a2", "c2", "a3"}, env.WinFor(1, 2), "k-in-row"},
		{"rising diagonal, gap filled last", "mnk", []string{"a1", "a2", "c3", "a3", "b2"}, env.WinFor(0, 2), "k-in-row"},
		{"falling diagonal", "mnk", []string{"a3", "a2", "b2", "a1", "c1"}, env.WinFor(0, 2), "k-in-row"},
		{"full", "mnk", []string{"b2", "a1", "a2", "c2", "b1", "b3", "a3", "c1", "c3"}, env.Value{}, "full"},
		{"the last cell wins", "mnk", []string{"a1", "a3", "b2", "b1", "a2", "c2", "b3", "c1", "c3"}, env.WinFor(0, 2), "k-in-row"},
		{
			"more than k win", "mnk:m=5,n=2",
			[]string{"a1", "a2", "b1", "b2", "d1", "d2", "e1", "e2", "c1"},
			env.WinFor(0, 2), "k-in-row",
		},
		{
			"rows do not wrap around the edge", "mnk:m=3,n=4",
			[]string{"b1", "a3", "c1", "b3", "a2"},
			env.Value{},
			"",
		},
	}
	for _, g := range games {
		t.Run(g.name, func(t *testing.T) {
			s := at(t, newGame(t, g.game), g.moves...)
			v, over := s.Result()
			require.Equal(t, g.value, v)
			require.Equal(t, g.ending != "", over)
			require.Equal(t, g.ending, s.(env.Ender).Ending())
		})
	}
}

func TestObservationIsTheMovers(t *testing.T) {
	game := newGame(t, "mnk")
	x, o := make([]float32, game.Spec().Inputs()), make([]float32, game.Spec().Inputs())
	s := at(t, game, "a1", "c2")
	s.Observe(x)
	require.Equal(t, []float32{
		1, 0, 0, 0, 0, 0, 0, 0, 0, // x is on turn and has a1
		0, 0, 0, 0, 0, 1, 0, 0, 0,
		1, 1, 1, 1, 1, 1, 1, 1, 1,
	}, x)
	s = at(t, game, "c2")
	s.Observe(o)
	require.Equal(t, x[9:18], o[9:18], "o sees c2 as the enemy's")
}

func TestPositionFaults(t *testing.T) {
	s := at(t, newGame(t, "mnk"), "b2")
	for pos, want := range map[string]string{
		"...":         `mnk position "...": number of rows is 1, not 3`,
		".../.../..":  `mnk position ".../.../..": number of cells in row 1 is 2, not 3`,
		".../.X./...": `mnk position ".../.X./...": 'X' in row 2 is not one of .xo`,
		".../.o./...": `mnk position ".../.o./...": 0 x and 1 o, but there must be as many x as o or one more`,
		"xxx/.../ooo": `mnk position "xxx/.../ooo": x has 3 in a row, but would be on turn`,
	} {
		require.EqualError(t, s.(env.Positioner).SetPosition(pos), want)
	}
	require.Equal(t, ".../.x./...", s.String())
}

func TestScorePrefersThreats(t *testing.T) {
	game := newGame(t, "mnk:m=7,n=7,k=4")
	score := func(moves ...string) float32 { return at(t, game, moves...).(env.Scorer).Score()[0] }
	require.Zero(t, score())
	require.Greater(t, score("d4"), score("a1"), "the middle lies on more lines")
	require.Greater(t, score("d4", "a1", "d5"), score("d4", "a1", "g2"), "two in a line")
	require.Negative(t, score("a1", "d4", "g1", "d5"))
}
