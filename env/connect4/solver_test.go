package connect4

import (
	"bufio"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

var full = flag.Bool("full", false, "also solve every position of the opening, which takes long")

// solved is a position with its exact score.
type solved struct {
	moves string
	score int
}

func (p solved) line() string { return fmt.Sprintf("%s %d", p.moves, p.score) }

// readSolved reads a set of solved positions by Pascal Pons
// (http://blog.gamesolver.org/solving-connect-four/02-test-protocol/), half of each set:
// lines with moves and score.
func readSolved(t testing.TB, name string) []solved {
	t.Helper()
	f, err := os.Open("testdata/Test_" + name + ".txt.gz")
	require.NoError(t, err)
	defer f.Close()
	text, err := gzip.NewReader(f)
	require.NoError(t, err)
	var all []solved
	for lines := bufio.NewScanner(text); lines.Scan(); {
		moves, number, ok := strings.Cut(lines.Text(), " ")
		require.True(t, ok, lines.Text())
		score, err := strconv.Atoi(number)
		require.NoError(t, err)
		all = append(all, solved{moves, score})
	}
	require.NotEmpty(t, all)
	return all
}

func TestSolverAgreesWithSolvedPositions(t *testing.T) {
	sets := []struct {
		name  string
		quick int // number of positions solved without -full
	}{
		{"L3_R1", 500}, {"L2_R1", 500}, {"L2_R2", 100}, {"L1_R1", 500}, {"L1_R2", 2}, {"L1_R3", 0},
	}
	for _, set := range sets {
		t.Run(set.name, func(t *testing.T) {
			positions := readSolved(t, set.name)
			if !*full {
				positions = positions[:set.quick]
			}
			solver := NewSolver(22)
			for _, p := range positions {
				s, err := FromMoves(p.moves)
				require.NoError(t, err)
				require.Equal(t, p.score, solver.Score(s), p.moves)
			}
			t.Logf("%d positions, %d nodes", len(positions), solver.nodes)
		})
	}
}

// TestSolverIsConsistent compares positions with their successors.
func TestSolverIsConsistent(t *testing.T) {
	solver := NewSolver(18)
	for _, p := range readSolved(t, "L2_R1")[:200] {
		s, err := FromMoves(p.moves)
		require.NoError(t, err)
		require.Equal(t, sign(p.score), solver.Value(s), p.moves)
		best := -22
		for _, a := range s.Legal(nil) {
			next := *s
			next.Play(a)
			score := solver.Score(&next)
			require.Equal(t, sign(score), solver.Value(&next), "%s then %s", p.moves, s.ActionString(a))
			for _, than := range []int{score - 1, score, score + 1} {
				require.Equal(t, score > than, solver.Exceeds(&next, than), "%s then %s", p.moves, s.ActionString(a))
			}
			best = max(best, -score)
		}
		require.Equal(t, p.score, best, p.moves)
	}
}

func sign(n int) int { return min(1, max(-1, n)) }

// TestSolverAtTheEnd scores positions without a search.
func TestSolverAtTheEnd(t *testing.T) {
	solver := NewSolver(4)
	for moves, want := range map[string]int{
		"121212":  18,  // x wins with its fourth stone; 17 are left
		"1212121": -18, // and has won
		"121212212121343434434343565656656565777777": 0,
	} {
		s, err := FromMoves(moves)
		require.NoError(t, err)
		require.Equal(t, want, solver.Score(s), moves)
		require.Equal(t, sign(want), solver.Value(s), moves)
	}
	require.Zero(t, solver.nodes)
}

func TestWinsAreThoseOfPlay(t *testing.T) {
	rng := env.NewRand(1)
	for range 300 {
		s := &State{}
		for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
			mover, other := s.sides()
			found := wins(mover, mover|other)
			for _, a := range legal {
				next := *s
				next.Play(a)
				require.Equal(t, next.won, found&bit(int(a)/Width, int(a)%Width) != 0, "%s then %s", s, s.ActionString(a))
			}
			s.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// TestFollowUpBoundsTheScore compares the bounds with published scores.
func TestFollowUpBoundsTheScore(t *testing.T) {
	const drawn, won, notWon, lost, zugzwang = "at least a draw", "second wins", "at most a draw", "second wins, first on turn", "first wins"
	found := map[string]int{}
	for _, name := range []string{"L3_R1", "L2_R1", "L2_R2", "L1_R1", "L1_R2", "L1_R3"} {
		for _, solved := range readSolved(t, name) {
			s, err := FromMoves(solved.moves)
			require.NoError(t, err)
			p, _, known := atOnce(s)
			if known {
				continue
			}
			low, high := p.followUp()
			require.LessOrEqual(t, low, solved.score, solved.moves)
			require.GreaterOrEqual(t, high, solved.score, solved.moves)
			switch {
			case low == 0:
				found[drawn]++
			case low == 1:
				found[won]++
			case high == 0:
				found[notWon]++
			case high == -1 && p.plies%2 == 0:
				found[lost]++
			case high == -1:
				found[zugzwang]++
			default:
				require.Equal(t, []int{-maxScore, maxScore}, []int{low, high}, solved.moves)
			}
		}
	}
	for _, what := range []string{drawn, won, notWon, lost, zugzwang} {
		require.GreaterOrEqual(t, found[what], 5, what)
	}
}

// TestFollowUpPlanes compares the planes with published scores.
func TestFollowUpPlanes(t *testing.T) {
	planes, found := make([]float32, 12*Width*Height), map[float32]int{}
	for _, name := range []string{"L3_R1", "L2_R1", "L2_R2", "L1_R1", "L1_R2"} {
		for _, solved := range readSolved(t, name) {
			s, err := FromMoves(solved.moves)
			require.NoError(t, err)
			s.Observe(planes)
			for i, score := range []int{solved.score, -solved.score} {
				plane := planes[(10+i)*Width*Height:][:Width*Height]
				require.Equal(t, slices.Repeat(plane[:1], len(plane)), plane)
				require.LessOrEqual(t, plane[0], float32(1+sign(score))/2, solved.moves)
				found[plane[0]]++
			}
		}
	}
	require.Greater(t, found[0.5], 50)
	require.Greater(t, found[1], 50)
}

// BenchmarkSolver solves the middle game.
func BenchmarkSolver(b *testing.B) {
	positions := readSolved(b, "L2_R2")
	solver := NewSolver(22)
	for i := range b.N {
		s, err := FromMoves(positions[i%len(positions)].moves)
		require.NoError(b, err)
		solver.Score(s)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "positions/s")
	b.ReportMetric(float64(solver.nodes)/b.Elapsed().Seconds(), "nodes/s")
}
