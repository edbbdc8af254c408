package exam

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/connect4"
	"tiro/env/envtest"
	"tiro/env/games"
)

func newGame(t testing.TB, name string) env.Game {
	t.Helper()
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

// forces reports by exhaustive search whether me can force a win.
func forces(game env.Game, s env.State, me env.Player) bool {
	if v, over := s.Result(); over {
		return v[me] == 1
	}
	for _, a := range s.Legal(nil) {
		if forces(game, env.After(game, s, a), me) == (s.Turn() == me) {
			return s.Turn() == me
		}
	}
	return s.Turn() != me
}

// randomTree writes a tree whose leaves are won by the players with capital letters, or
// drawn; a small letter says who is on turn.
func randomTree(b *strings.Builder, rng *rand.Rand, players, depth int) {
	if depth == 0 || depth < 4 && rng.IntN(4) == 0 {
		b.WriteByte("ABCD="[[]int{rng.IntN(players), 4}[min(rng.IntN(5)/4, 1)]])
		return
	}
	b.WriteByte("abcd"[rng.IntN(players)])
	b.WriteByte('(')
	for range 1 + rng.IntN(3) {
		randomTree(b, rng, players, depth-1)
	}
	b.WriteByte(')')
}

// TestProver: with enough nodes, exactly the forced wins are proven, for every seat.
func TestProver(t *testing.T) {
	rng := env.NewRand(5)
	proven := 0
	for n := range 400 {
		players := 2 + n%3
		var b strings.Builder
		randomTree(&b, rng, players, 7)
		game := envtest.MustTree(players, b.String())
		p := newProver(game)
		for seat := range players {
			won, err := p.wins(t.Context(), game.New(), env.Player(seat), 1<<20)
			require.NoError(t, err)
			require.Equal(t, forces(game, game.New(), env.Player(seat)), won, "%s seat %d", b.String(), seat)
			if won {
				proven++
			}
		}
	}
	require.Greater(t, proven, 100)
}

// TestProverAgainstSolver: what it proves in Connect Four an exact solver confirms.
func TestProverAgainstSolver(t *testing.T) {
	game := newGame(t, "connect4")
	p, solver := newProver(game), connect4.NewSolver(18)
	proven := 0
	for n := range 60 {
		rng, s := env.NewRand(uint64(n)), game.New()
		for range 20 {
			if legal := s.Legal(nil); len(legal) > 0 {
				s.Play(legal[rng.IntN(len(legal))])
			}
		}
		if _, over := s.Result(); over {
			continue
		}
		won, err := p.wins(t.Context(), s, s.Turn(), 20_000)
		require.NoError(t, err)
		if won {
			proven++
			require.Equal(t, 1, solver.Value(s.(*connect4.State)), s)
		}
	}
	require.Greater(t, proven, 5)
}
