package player

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

// scored is a game with a heuristic score: a table lists the scores for seat 0, and the other
// seats have the opposite score.
type scored struct {
	env.Game
	scores map[string]float32
}

func (g scored) New() env.State {
	return &scoredState{g.Game.New().(position), g.scores}
}

type position interface {
	env.State
	env.Positioner
}

type scoredState struct {
	position
	scores map[string]float32
}

func (s *scoredState) CopyFrom(src env.State) { s.position.CopyFrom(src.(*scoredState).position) }

func (s *scoredState) Score() (v env.Value) {
	x := s.scores[s.Position()]
	for i := range v {
		v[i] = -x
	}
	v[0] = x
	return v
}

func choose(t *testing.T, f Factory, game env.Game, pos string, seed uint64) string {
	t.Helper()
	p, err := f.New()
	require.NoError(t, err)
	s := game.New()
	require.NoError(t, s.(env.Positioner).SetPosition(pos))
	before := s.String()
	a, err := p.Choose(t.Context(), s, nil, env.NewRand(seed))
	require.NoError(t, err)
	require.Equal(t, before, s.String(), "the position is left alone")
	require.Contains(t, s.Legal(nil), a)
	return s.ActionString(a)
}

func TestGreedy(t *testing.T) {
	game := scored{envtest.MustTree(2, "( ((AB)B) B ((AB)A) ((BB)B) )"), map[string]float32{
		"/0": 0.5, "/2": 0.75, "/3": 0.75,
	}}
	taken := map[string]int{}
	for seed := range uint64(200) {
		taken[choose(t, Must(game, "greedy"), game, "/", seed)]++
	}
	require.Len(t, taken, 2, "ties are broken at random: %v", taken)
	require.Greater(t, taken["2"], 60)
	require.Greater(t, taken["3"], 60)

	// Seat 1 maximises its own component, and wins where it can.
	require.Equal(t, "1", choose(t, Must(game, "greedy"), game, "/0", 1))
}

func TestGreedyWantsAScore(t *testing.T) {
	_, err := Plain(envtest.MustTree(2, "(AB)"), "greedy")
	require.ErrorContains(t, err, "tree has no heuristic score")
}

func TestAlphaBetaOnTrees(t *testing.T) {
	for _, c := range []struct {
		name    string
		players int
		tree    string
		depth   int
		want    string
	}{
		{"a forced win", 2, "( ((BB)(AB)) ((B B)(B A)) ((AA)(AB)) )", 3, "2"},
		{"the same player twice in a row", 2, "a( a(B B) a(B A) b(A B) )", 2, "1"},
		{"the other twice in a row", 2, "a( b(a(AA) b(AB)) b(a(AB) b(AA)) = )", 3, "1"},
		{"the shorter win", 2, "( (A (AA)) ((AA)(AA)) (A A) )", 4, "2"},
		{"the longer loss", 2, "( B ((B)) (B) )", 4, "1"},
		{"a draw rather than a loss", 2, "( (B A) (= A) )", 2, "1"},
		{"three: a shared win rather than a loss", 3, "a( b(c(BC) A) a(b([0.25,-0.5,0.25] [0.25,0.25,-0.5]) c(B C)) )", 4, "1"},
		{"four: twice in a row, then the others three times", 4, "a( a(d(d(c(A B))) d(d(c(A A)))) a(b(A D) B) )", 5, "0"},
		{"three: against both others", 3, "a( b(c(AB) A) b(c(AA) c(AA)) b(B A) )", 3, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			game := envtest.MustTree(c.players, c.tree)
			for seed := range uint64(10) {
				require.Equal(t, c.want, choose(t, Must(game, fmt.Sprintf("alphabeta:%d", c.depth)), game, "/", seed))
			}
		})
	}
}

// plain is minimax without pruning, table or ordering.
func plain(game env.Game, s env.State, me env.Player, depth int) float32 {
	if v, over := s.Result(); over {
		return v[me] * (1 + float32(depth)/1024)
	}
	if depth == 0 {
		return evaluate(s)[me]
	}
	var values []float32
	for _, a := range s.Legal(nil) {
		next := game.New()
		next.CopyFrom(s)
		next.Play(a)
		values = append(values, plain(game, next, me, depth-1))
	}
	if s.Turn() == me {
		return slices.Max(values)
	}
	return slices.Min(values)
}

// Turns need not alternate, and the other two or three players are one side.
func TestAlphaBetaEqualsMinimax(t *testing.T) {
	rng := env.NewRand(11)
	for n := range 300 {
		players := 2 + n%3
		var b strings.Builder
		writeTree(&b, rng, players, 6)
		game := scored{envtest.MustTree(players, b.String()), map[string]float32{}}
		fillScores(game, game.New(), rng)
		for depth := 1; depth <= 7; depth++ {
			p, err := Must(game, fmt.Sprintf("alphabeta:%d", depth)).New()
			require.NoError(t, err)
			s := game.New()
			a, err := p.Choose(t.Context(), s, nil, rng)
			require.NoError(t, err)
			require.Equal(t, plain(game, s, s.Turn(), depth), p.(*alphaBeta).value, "%s depth %d", b.String(), depth)
			next := game.New()
			next.Play(a)
			require.Equal(t, p.(*alphaBeta).value, plain(game, next, s.Turn(), depth-1), "the action has that value")
		}
	}
}

func fillScores(game scored, s env.State, rng *rand.Rand) {
	game.scores[s.String()] = float32(rng.IntN(19)-9) / 10
	for _, a := range s.Legal(nil) {
		next := game.New()
		next.CopyFrom(s)
		next.Play(a)
		fillScores(game, next, rng)
	}
}

func TestAlphaBetaStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	game := envtest.MustTree(2, "(AB)")
	p, err := Must(game, "alphabeta:1").New()
	require.NoError(t, err)
	_, err = p.Choose(ctx, game.New(), nil, env.NewRand(1))
	require.ErrorIs(t, err, context.Canceled)
}

func TestThoughtOfAlphaBeta(t *testing.T) {
	game := envtest.MustTree(3, "( (BC) ((AA)) )")
	p, err := Must(game, "alphabeta:3").New()
	require.NoError(t, err)
	_, err = p.Choose(t.Context(), game.New(), nil, env.NewRand(1))
	require.NoError(t, err)
	analysis := p.(Analyzer).Analysis()
	require.Equal(t, env.Value{1, -0.5, -0.5}, analysis.Value)
	require.Equal(t, []env.Action{1}, analysis.Lines[0].Actions)
	require.Positive(t, analysis.Nodes)
}

// writeTree writes a random tree in which turns follow no order and wins may be
// shared.
func writeTree(b *strings.Builder, rng *rand.Rand, players, depth int) {
	if depth == 0 || depth < 4 && rng.IntN(6) == 0 {
		b.WriteString([]string{"A", "B", string(rune('A' + players - 1)), "=", map[int]string{
			2: "[-1,1]", 3: "[0.25,-0.5,0.25]", 4: "[-0.33333334,0.33333334,-0.33333334,0.33333334]",
		}[players]}[rng.IntN(5)])
		return
	}
	b.WriteByte("abcd"[rng.IntN(players)])
	b.WriteByte('(')
	for range 2 + rng.IntN(2) {
		writeTree(b, rng, players, depth-1)
	}
	b.WriteByte(')')
}

func ticTacToe(t testing.TB) env.Game {
	t.Helper()
	return newGame(t, "mnk")
}
