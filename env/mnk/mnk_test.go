package mnk_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/grid"
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
	}, x[:27])
	s = at(t, game, "c2")
	s.Observe(o)
	require.Equal(t, x[9:18], o[9:18], "o sees c2 as the enemy's")
}

// TestThreatPlanes compares the planes of wins, fours and threes in random positions with
// their definition, applied cell by cell.
func TestThreatPlanes(t *testing.T) {
	for _, name := range []string{"mnk", "mnk:m=2,n=2,k=2", "mnk:m=7,n=4,k=4", "mnk:m=9,n=9,k=5", "mnk:m=2,n=9,k=7"} {
		game := newGame(t, name)
		spec := game.Spec()
		k := map[string]int{"mnk": 3, "mnk:m=2,n=2,k=2": 2, "mnk:m=7,n=4,k=4": 4, "mnk:m=9,n=9,k=5": 5, "mnk:m=2,n=9,k=7": 7}[name]
		rng := rand.New(rand.NewPCG(1, 2))
		for range 10 {
			s := game.New()
			for _, over := s.Result(); !over; _, over = s.Result() {
				input := make([]float32, spec.Inputs())
				s.Observe(input)
				cells := spec.Width * spec.Height
				for plane := 3; plane < spec.Planes; plane++ {
					seat := int(s.Turn()) ^ (plane+1)&1
					for cell := range cells {
						require.Equal(t, threats(s.(grid.Position), spec, k, seat, cell)[(plane-3)/2], input[plane*cells+cell],
							"%s %s, plane %d, cell %d", name, s, plane, cell)
					}
				}
				s.Play(s.(env.Sampler).Sample(rng))
			}
		}
	}
}

// threats returns the values of a cell in the planes of wins, fours and threes of seat.
func threats(s grid.Position, spec env.Spec, k, seat, cell int) (values [3]float32) {
	if s.At(cell) > 0 {
		return
	}
	column, row := cell%spec.Width, cell/spec.Width
	next := map[int]bool{} // the cells that would win
	for _, step := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		threes := 0
	windows:
		for first := 1 - k; first <= 0; first++ {
			var empty []int
			for i := first; i < first+k; i++ {
				c, r := column+i*step[0], row+i*step[1]
				if c < 0 || c >= spec.Width || r < 0 || r >= spec.Height {
					continue windows
				}
				switch at := r*spec.Width + c; s.At(at) {
				case 0:
					if i != 0 {
						empty = append(empty, at)
					}
				case 1 + seat:
				default:
					continue windows
				}
			}
			switch len(empty) {
			case 0:
				values[0] = 1
			case 1:
				next[empty[0]] = true
			case 2:
				threes++
			}
		}
		if threes > 1 {
			values[2] = min(1, values[2]+0.5)
		}
	}
	values[1] = min(1, float32(len(next))/2)
	return values
}

// TestThreatsOfGomoku names the cells of a position of 9 by 9 by hand.
func TestThreatsOfGomoku(t *testing.T) {
	game := newGame(t, "mnk:m=9,n=9,k=5")
	s := game.New()
	require.NoError(t, s.(env.Positioner).SetPosition("........./........./...x...../..x....../.o......./...xxx.../........./oooo...../........."))
	input := make([]float32, game.Spec().Inputs())
	s.Observe(input) // x, who moves, has d4 to f4, c6 and d7; o has a2 to d2 and b5
	named := func(plane int, value float32) (names []string) {
		for cell := range 81 {
			if input[plane*81+cell] == value {
				names = append(names, game.(grid.Game).ActionName(0, env.Action(cell)))
			}
		}
		return names
	}
	require.Empty(t, named(3, 1))
	require.Equal(t, []string{"e2"}, named(4, 1), "o's row begins at the edge")
	require.Equal(t, []string{"c4", "g4"}, named(5, 1), "straight fours")
	require.Equal(t, []string{"b4", "h4"}, named(5, 0.5), "fours with a gap")
	require.Equal(t, []string{"e2", "f2"}, named(6, 0.5))
	require.Empty(t, named(6, 1))
	require.Equal(t, []string{"d5"}, named(7, 1), "threes in the column and in a diagonal")
	require.Equal(t, []string{"f3", "d6", "b7"}, named(7, 0.5))
	require.Equal(t, []string{"b3", "b4"}, named(8, 0.5))
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
