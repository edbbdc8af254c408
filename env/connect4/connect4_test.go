package connect4

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

func TestConformance(t *testing.T) {
	for _, name := range []string{"connect4", "connect4:planes=stones"} {
		t.Run(name, func(t *testing.T) { envtest.Run(t, newGame(t, name)) })
	}
}

func newGame(t testing.TB, name string) env.Game {
	_, options, err := env.ParseName(name)
	require.NoError(t, err)
	game, err := New(options)
	require.NoError(t, err)
	return game
}

// TestStonesAlone: with planes=stones, a network sees planes 0, 1 and 3 of all planes,
// however the position was reached.
func TestStonesAlone(t *testing.T) {
	all, stones := newGame(t, "connect4"), newGame(t, "connect4:planes=stones")
	const cells = Width * Height
	require.Equal(t, 3*cells, stones.Spec().Inputs())
	want, got := make([]float32, all.Spec().Inputs()), make([]float32, 3*cells)
	s, err := FromMoves("44553")
	require.NoError(t, err)
	s.Observe(want)
	want = slices.Concat(want[:2*cells], want[3*cells:4*cells])

	moved, placed := stones.New(), stones.New()
	for _, move := range "44553" {
		a, err := env.ParseAction(moved, string(move))
		require.NoError(t, err)
		moved.Play(a)
	}
	require.NoError(t, placed.(*State).SetPosition(s.Position()))
	solved, _, err := stones.(env.Solvable).ParseSolved("44553 1")
	require.NoError(t, err)
	for _, state := range []env.State{moved, placed, solved} {
		state.Observe(got)
		require.Equal(t, want, got)
	}
}

func TestOptions(t *testing.T) {
	_, o, err := env.ParseName("connect4:width=8")
	require.NoError(t, err)
	_, err = New(o)
	require.EqualError(t, err, `game connect4: unknown option "width" (planes)`)
}

// TestPerft counts sequences of moves, excluding those that end early. There are 7^n up to
// ply 6; then columns fill up, and from ply 8 games end. An independent move generator on
// plain lists gives the same counts.
func TestPerft(t *testing.T) {
	for depth, want := range []int{1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234} {
		require.Equal(t, want, perft(&State{}, depth), "depth %d", depth)
	}
}

// TestPositionsByPly counts different positions (https://oeis.org/A212693, by John Tromp).
func TestPositionsByPly(t *testing.T) {
	positions := map[uint64]State{(&State{}).Hash(): {}}
	for ply, want := range []int{1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275} {
		require.Len(t, positions, want, "ply %d", ply)
		following := make(map[uint64]State, 4*len(positions))
		for _, s := range positions {
			for _, a := range s.Legal(nil) {
				next := s
				next.Play(a)
				following[next.Hash()] = next
			}
		}
		positions = following
	}
}

func perft(s *State, depth int) int {
	if depth == 0 {
		return 1
	}
	var memory [Width]env.Action
	legal := s.Legal(memory[:0])
	if depth == 1 {
		return len(legal)
	}
	n := 0
	for _, a := range legal {
		next := *s
		next.Play(a)
		n += perft(&next, depth-1)
	}
	return n
}

func TestEndings(t *testing.T) {
	games := []struct {
		name, moves string
		value       env.Value
		ending      string
	}{
		{"column", "1212121", env.WinFor(0, 2), "four-in-row"},
		{"row, gap filled last", "1122443", env.WinFor(0, 2), "four-in-row"},
		{"row of five", "112255443", env.WinFor(0, 2), "four-in-row"},
		{"rising diagonal", "12233434474", env.WinFor(0, 2), "four-in-row"},
		{"falling diagonal, by o", "176655454414", env.WinFor(1, 2), "four-in-row"},
		{"three and one in the next column", "1212127", env.Value{}, ""},
		{"full", "121212212121343434434343565656656565777777", env.Value{}, "full"},
	}
	for _, g := range games {
		t.Run(g.name, func(t *testing.T) {
			s, err := FromMoves(g.moves)
			require.NoError(t, err)
			v, over := s.Result()
			require.Equal(t, g.ending, s.Ending(), "\n%s", s.Draw(env.Screen{}))
			require.Equal(t, g.ending != "", over)
			require.Equal(t, g.value, v)
		})
	}
}

func TestObservation(t *testing.T) {
	s, err := FromMoves("445")
	require.NoError(t, err)
	dst := make([]float32, newGame(t, "connect4").Spec().Inputs())
	s.Observe(dst)
	on := map[int][]int{}
	for i, x := range dst {
		if x == 1 {
			on[i/42] = append(on[i/42], i%42)
		}
	}
	require.Equal(t, []int{10}, on[0], "o, on turn, lies on column 4, row 2")
	require.Equal(t, []int{3, 4}, on[1])
	require.Equal(t, []int{0, 1, 2, 5, 6, 11, 17}, on[2])
	require.Len(t, on[3], 42)
	require.Equal(t, []env.Action{0, 1, 2, 5, 6, 11, 17}, s.Legal(nil))
	require.Empty(t, on[4])
	require.Empty(t, on[5])
	require.Len(t, on[6], 21)
	require.Subset(t, on[6], []int{0, 6, 14, 20, 28, 34})
	require.Empty(t, on[7], "x began, o is on turn")
}

// A cell is a threat if a stone on it makes four, by definition.
func TestObservationOfThreats(t *testing.T) {
	const cells = Width * Height
	threats, rng := 0, env.NewRand(1)
	dst := make([]float32, newGame(t, "connect4").Spec().Inputs())
	for range 50 {
		s := &State{}
		for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
			s.Observe(dst)
			mover := s.Turn()
			for i := range cells {
				cell := bit(i/Width, i%Width)
				for p, seat := range []env.Player{mover, 1 - mover} {
					four := (s.stones[0]|s.stones[1])&cell == 0 && hasFour(s.stones[seat]|cell)
					require.Equal(t, float32(bit01(four)), dst[(4+p)*cells+i], "plane %d, cell %d of %s", 4+p, i, s)
					threats += bit01(four)
				}
				require.Equal(t, float32(1-mover), dst[7*cells+i])
			}
			s.Play(legal[rng.IntN(len(legal))])
		}
	}
	require.Greater(t, threats, 1000)
}

func bit01(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestFromMovesFaults(t *testing.T) {
	for moves, want := range map[string]string{
		"48":       `connect4 moves "48": move 2: illegal action "8" in ......./......./......./......./......./...x...`,
		"4444444":  `connect4 moves "4444444": move 7: illegal action "4" in ...o.../...x.../...o.../...x.../...o.../...x...`,
		"12121213": `connect4 moves "12121213": move 8: illegal action "3": the game is over`,
	} {
		_, err := FromMoves(moves)
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, env.ErrIllegal)
	}
}

func TestPositionFaults(t *testing.T) {
	const empty = "......./......./......./......./"
	s, err := FromMoves("4")
	require.NoError(t, err)
	before := s.String()
	for pos, want := range map[string]string{
		"":                        "number of rows is 1, not 6",
		empty + "......./......":  "number of cells in row 1 is 6, not 7",
		empty + "......./...X...": "'X' in row 1 is not one of .xo",
		empty + "..x..../.......": "no stone below row 2 of column 3",
		empty + "......./..xx...": "2 x and 0 o, but there must be as many x as o or one more",
		empty + "oooo.../xxxx...": "the player on turn already has four in a row",
	} {
		require.EqualError(t, s.SetPosition(pos), "connect4 position \""+pos+"\": "+want)
		require.Equal(t, before, s.String())
	}
}

func BenchmarkRandomPlay(b *testing.B) {
	rng := env.NewRand(1)
	legal := make([]env.Action, 0, Width)
	s := &State{}
	for b.Loop() {
		if legal = s.Legal(legal[:0]); len(legal) == 0 {
			*s = State{}
			continue
		}
		s.Play(legal[rng.IntN(len(legal))])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "plies/s")
	b.ReportAllocs()
}

// A drawing for a screen shows the new stone in brackets.
func TestDraw(t *testing.T) {
	before, err := FromMoves("44")
	require.NoError(t, err)
	for moves, want := range map[string]string{
		"443": " . .[x]x . . .\n", "445": " . . . x[x]. .\n", "447": " . . . x . .[x]\n", "441": "[x]. . x . . .\n", "44": " . . . x . . .\n",
	} {
		s, err := FromMoves(moves)
		require.NoError(t, err)
		text := s.Draw(env.Screen{Columns: 80, Lines: 20, Since: before})
		require.Contains(t, text, want)
		require.Contains(t, text, "x player 1, o player 2")
	}
}

// TestLinePlanes counts open lines cell by cell.
func TestLinePlanes(t *testing.T) {
	const cells = Width * Height
	rng := env.NewRand(4)
	planes := make([]float32, 12*cells)
	for range 40 {
		s := &State{}
		for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
			s.Play(legal[rng.IntN(len(legal))])
			s.Observe(planes)
			own := 1 + int(s.Turn())
			for cell := range cells {
				if s.At(cell) == 0 {
					require.Equal(t, linesThrough(s, cell, own), planes[8*cells+cell], "\n%s\ncell %d", s, cell)
					require.Equal(t, linesThrough(s, cell, 3-own), planes[9*cells+cell], "\n%s\ncell %d", s, cell)
				} else {
					require.Zero(t, planes[8*cells+cell]+planes[9*cells+cell])
				}
			}
		}
	}
}

// linesThrough returns the weights of the open lines through an empty cell.
func linesThrough(s *State, cell, own int) (sum float32) {
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for first := -3; first <= 0; first++ {
			stones, open := 0, true
			for i := first; i < first+4; i++ {
				x, y := cell%Width+i*d[0], cell/Width+i*d[1]
				if open = open && x >= 0 && x < Width && y >= 0 && y < Height && s.At(y*Width+x) != 3-own; !open {
					break
				}
				if s.At(y*Width+x) == own {
					stones++
				}
			}
			if open {
				sum += []float32{1. / 16, 1. / 4, 1, 0}[stones]
			}
		}
	}
	return sum
}
