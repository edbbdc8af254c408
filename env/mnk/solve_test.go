package mnk_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

// TestTicTacToeIsKnown compares with well-known counts: 5478 positions, 765 up to symmetry,
// 255168 games, of which x wins 131184, o wins 77904 and 46080 are drawn
// (https://en.wikipedia.org/wiki/Game_complexity and
// https://en.wikipedia.org/wiki/Tic-tac-toe).
func TestTicTacToeIsKnown(t *testing.T) {
	game := newGame(t, "mnk")
	solution, err := envtest.Solve(game, 10_000)
	require.NoError(t, err)
	require.Len(t, solution.States(), 5478)

	value, known := solution.Value(game.New())
	require.True(t, known)
	require.Zero(t, value, "a draw")

	classes := map[string]bool{}
	observation := make([]float32, game.Spec().Inputs())
	for _, s := range solution.States() {
		s.Observe(observation)
		classes[canonical(game, observation)] = true
	}
	require.Len(t, classes, 765)

	results := map[float32]int{}
	countGames(game, game.New(), results)
	require.Equal(t, map[float32]int{1: 131184, -1: 77904, 0: 46080}, results)
}

// canonical returns the same string for all images of an observation.
func canonical(game env.Game, observation []float32) string {
	var images []string
	for _, sym := range game.(env.Symmetric).Symmetries() {
		image := make([]float32, len(observation))
		for i, from := range sym.Input {
			image[i] = observation[from]
		}
		images = append(images, fmt.Sprint(image))
	}
	return slices.Min(images)
}

func countGames(game env.Game, s env.State, results map[float32]int) {
	if v, over := s.Result(); over {
		results[v[0]]++
		return
	}
	for _, a := range s.Legal(nil) {
		next := game.New()
		next.CopyFrom(s)
		next.Play(a)
		countGames(game, next, results)
	}
}

// TestKnownValues solves boards with published values (Uiterwijk and van den Herik 2000): x
// wins three in a row on any board larger than tic-tac-toe, and four in a row is drawn on
// small boards.
func TestKnownValues(t *testing.T) {
	boards := []struct {
		game  string
		value int // for x
	}{
		{"mnk", 0},
		{"mnk:m=4", 1},
		{"mnk:m=4,n=4", 1},
		{"mnk:m=4,n=4,k=4", 0},
		{"mnk:m=5,k=4", 0},
	}
	for _, b := range boards {
		t.Run(b.game, func(t *testing.T) {
			game := newGame(t, b.game)
			require.Equal(t, b.value, newSolver(game).value(game.New(), -1, 1, 0))
		})
	}
}

// solver is an alpha-beta search to the end with a table of bounds.
type solver struct {
	table  map[uint64]bounds
	states []env.State // by depth
}

type bounds struct{ low, high int8 }

func newSolver(game env.Game) *solver {
	s := &solver{table: map[uint64]bounds{}}
	for range game.Spec().MaxPlies + 1 {
		s.states = append(s.states, game.New())
	}
	return s
}

// value returns the value for the player on turn if it is within alpha..beta, and otherwise
// a bound on the same side.
func (s *solver) value(state env.State, alpha, beta, depth int) int {
	if v, over := state.Result(); over {
		return int(v[state.Turn()])
	}
	known, ok := s.table[state.Hash()]
	if !ok {
		known = bounds{-1, 1}
	}
	if known.low == known.high || int(known.low) >= beta {
		return int(known.low)
	}
	if int(known.high) <= alpha {
		return int(known.high)
	}
	best, low := -1, alpha
	next := s.states[depth]
	for _, a := range state.Legal(nil) {
		next.CopyFrom(state)
		next.Play(a)
		best = max(best, -s.value(next, -beta, -low, depth+1))
		if low = max(low, best); low >= beta {
			break
		}
	}
	if best > alpha {
		known.low = max(known.low, int8(best))
	}
	if best < beta {
		known.high = min(known.high, int8(best))
	}
	s.table[state.Hash()] = known
	return best
}
