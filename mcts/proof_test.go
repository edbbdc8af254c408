package mcts

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/mnk"
)

var roots = []string{RootPUCT, RootGumbel, RootImproved}

// TestProofs compares with trees solved by hand. Capital letters are wins, small letters
// are players to move.
func TestProofs(t *testing.T) {
	tests := []struct {
		name    string
		players int
		text    string
		value   env.Value
		proven  bool
		best    []env.Action // any of them
	}{
		{"a win at once", 2, "a(=A=)", env.Value{1, -1}, true, []env.Action{1}},
		{"a draw is better than a loss", 2, "a(B=B)", env.Value{}, true, []env.Action{1}},
		{"all is lost", 2, "a(BB)", env.Value{-1, 1}, true, []env.Action{0, 1}},
		{"the opponent would win", 2, "a(b(AB)b(A=))", env.Value{}, true, []env.Action{1}},
		{"the second move of a turn wins", 2, "a(a(B a(BA)) b(AB))", env.Value{1, -1}, true, []env.Action{0}},
		{"three moves of the opponent in a row", 2, "a(b(b(b(AB)A)A) b(b(b(A=)A)=))", env.Value{}, true, []env.Action{1}},
		{"mixed payoffs", 2, "a(b([0.5,-0.5][0.25,-0.25])b([0.75,-0.75]=))", env.Value{0.25, -0.25}, true, []env.Action{0}},
		{"three players, each for themselves", 3, "a(b(c(AC)c(BB))b(c(AA)c(=A)))", env.Value{}, true, []env.Action{1}},
		{"the third player's win is a loss", 3, "a(c(CA)b(=A))", env.Value{}, true, []env.Action{1}},
		{"one of three players moves twice", 3, "a(b(c(CA) b(CC)) b(b(CC)b(=C)))", env.Value{}, true, []env.Action{1}},
		{"four players", 4, "a(b(c(d(D=)d(D))c(D))b(=c(C)))", env.Value{}, true, []env.Action{1}},
		{"a shared win is better than a loss", 3, "a(b(C [0.25,0.25,-0.5]) b(C B))", env.Value{0.25, 0.25, -0.5}, true, []env.Action{0}},
		{"the opponent prefers a win to a shared win", 3, "a(b([0.25,0.25,-0.5] B) =)", env.Value{}, true, []env.Action{1}},
		{"a shared win after two moves of one player", 3, "a(c(c(A A) c(A [0.25,-0.5,0.25])) b(C B))", env.Value{0.25, -0.5, 0.25}, true, []env.Action{0}},
		{"one of four players is out of the game", 4, "a(b(d(d(D A) d(= [0.33333334,-0.33333334,-0.33333334,0.33333334])) =) D)", env.Value{}, true, []env.Action{0}},
		// b loses either way and decides whether a or c wins. Nothing is proven about the
		// root, though a should avoid it.
		{"a kingmaker's choice is unknown", 3, "a(b(AC) [0.5,0,-0.5])", env.Value{}, false, []env.Action{0, 1}},
		// The same, but b can reach a draw.
		{"a player with something to gain is no kingmaker", 3, "a(b(A=C) =)", env.Value{}, true, []env.Action{0, 1}},
	}
	for _, test := range tests {
		for _, root := range roots {
			t.Run(test.name+"/"+root, func(t *testing.T) {
				c := quiet(root, 200)
				c.PUCT.CPUCT, c.Gumbel.ValueScale = 20, 0.01 // explore everything
				s, r := run(t, envtest.MustTree(test.players, test.text), c, Uniform{})
				require.Equal(t, test.proven, r.Proven, draw(s))
				require.Contains(t, test.best, r.Best)
				if test.proven {
					require.Equal(t, test.value, r.Value)
					require.Less(t, s.completed, 60, "a proven root ends the search")
				}
			})
		}
	}
}

// TestProvenLossIsAvoided: a proven loss is not visited again, has probability 0 in the
// policy and is not played, whatever its prior. Its exact value is reported.
func TestProvenLossIsAvoided(t *testing.T) {
	game := envtest.MustTree(2, "a(b(B=)"+binary(7)+binary(7)+")")
	priors := script{"/": {prior: []float32{0.98, 0.01, 0.01}}}
	for _, root := range roots {
		s, r := run(t, game, quiet(root, 60), priors)
		require.False(t, r.Proven)
		require.LessOrEqual(t, r.Visits[0], int32(5), draw(s))
		require.EqualValues(t, 0, r.Policy[0])
		require.EqualValues(t, -1, s.completedQ(0))
		require.NotEqual(t, env.Action(0), r.Best)
		require.EqualValues(t, 61, s.nodes[0].visits)
	}
}

// TestWinningReply: a winning reply proves a position before the evaluator sees it.
func TestWinningReply(t *testing.T) {
	game := envtest.MustTree(2, "a(b("+binary(4)+"B"+binary(4)+")"+binary(5)+")")
	for _, root := range roots {
		seen := map[string]bool{}
		s, r := run(t, game, quiet(root, 8), witness{script{"/": {prior: []float32{0.7, 0.3}}}, seen})
		lost := s.nodes[s.child[s.edge(0)]]
		require.True(t, lost.proven, draw(s))
		require.Equal(t, env.Value{-1, 1}, lost.value)
		require.EqualValues(t, 1, lost.length)
		require.EqualValues(t, 1, r.Best)
		require.False(t, seen["/0"], root)
		require.True(t, seen["/1"], root)
	}
}

// TestDrawingReply: a drawing reply guarantees the mover at least a draw, whatever the
// evaluator's value, and is the first action tried in the position. A better evaluation
// prevails. With three seats, the same holds for the third seat.
func TestDrawingReply(t *testing.T) {
	tests := []struct {
		name    string
		players int
		text    string
		opinion env.Value // evaluation of the position with the reply
		value   env.Value
	}{
		{"b prefers the draw", 2, "a(b(%s = %[1]s) %[1]s)", env.Value{0.9, -0.9}, env.Value{}},
		{"b expects more than a draw", 2, "a(b(%s = %[1]s) %[1]s)", env.Value{-0.5, 0.5}, env.Value{-0.5, 0.5}},
		{"c prefers the draw", 3, "a(c(%s = %[1]s) %[1]s)", env.Value{0.5, 0, -0.5}, env.Value{}},
		{"c takes its share", 3, "a(c(%s [-0.5,0.25,0.25] %[1]s) %[1]s)", env.Value{0.5, -0.25, -0.25}, env.Value{-0.5, 0.25, 0.25}},
		{"a losing action is no reply", 2, "a(b(%s A %[1]s) %[1]s)", env.Value{0.9, -0.9}, env.Value{0.9, -0.9}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			game := envtest.MustTree(test.players, fmt.Sprintf(test.text, binary(4)))
			c := quiet(RootPUCT, 1)
			s, _ := run(t, game, c, script{
				"/":  {prior: []float32{0.9, 0.1}},
				"/0": {prior: []float32{0.4, 0.2, 0.4}, value: test.opinion},
			})
			got := s.valueOf(s.child[s.edge(0)])
			require.InDeltaSlice(t, test.value[:], got[:], 1e-6, draw(s))
		})
	}
}

// witness records the positions that an evaluator evaluates.
type witness struct {
	Evaluator
	seen map[string]bool
}

func (w witness) Evaluate(ctx context.Context, leaves []*Leaf) error {
	for _, leaf := range leaves {
		w.seen[leaf.State.String()] = true
	}
	return w.Evaluator.Evaluate(ctx, leaves)
}

// TestLengthOfProofs: the soonest of several proven wins is played, and the latest of
// several proven losses.
func TestLengthOfProofs(t *testing.T) {
	tests := []struct {
		name, text string
		best       env.Action
		length     uint16
	}{
		{"a win in three beats a win in four", "a(b(a(b(AA)b(AA))a(b(AA)b(AA))) b(a(A=)a(A=)))", 1, 3},
		{"a loss in four beats a loss in two", "a(b(BA) b(a(b(B=)b(B=))a(b(B=)b(B=))) b(B=))", 1, 4},
	}
	for _, test := range tests {
		for _, root := range roots {
			t.Run(test.name+"/"+root, func(t *testing.T) {
				c := quiet(root, 400)
				c.PUCT.CPUCT, c.Gumbel.ValueScale = 20, 0.01
				s, r := run(t, envtest.MustTree(2, test.text), c, Uniform{})
				require.True(t, r.Proven, draw(s))
				require.Equal(t, test.best, r.Best, draw(s))
				require.Equal(t, test.length, s.nodes[0].length, draw(s))
			})
		}
	}
}

// TestGumbelLooksBeyondLostCandidates: if all considered actions are lost, other actions
// are considered.
func TestGumbelLooksBeyondLostCandidates(t *testing.T) {
	game := envtest.MustTree(2, "a(BBBB"+binary(6)+"B"+binary(6)+")")
	c := quiet(RootGumbel, 24)
	c.Gumbel.MaxConsideredActions = 4
	priors := script{"/": {prior: []float32{0.2, 0.2, 0.2, 0.2, 0.05, 0.1, 0.05}}}
	_, r := run(t, game, c, priors)
	require.Equal(t, []int32{1, 1, 1, 1}, r.Visits[:4])
	require.LessOrEqual(t, r.Visits[5], int32(1))
	require.GreaterOrEqual(t, r.Visits[4]+r.Visits[6], int32(19))
	require.Contains(t, []env.Action{4, 6}, r.Best)
}

// TestAdvanceKeepsProofs: proofs survive Advance, and a decided root needs no simulations.
func TestAdvanceKeepsProofs(t *testing.T) {
	game := envtest.MustTree(2, "a(a(b(b(AA)A)B)"+binary(4)+")")
	for _, root := range roots {
		s, r := run(t, game, quiet(root, 400), Uniform{})
		require.True(t, r.Proven, root)
		for range 2 {
			s.Advance(r.Best)
			require.NoError(t, s.intact())
			require.True(t, s.Done())
			s.Result(&r)
			require.True(t, r.Proven)
			require.Equal(t, env.Value{1, -1}, r.Value)
		}
	}
}

// TestGameOver: the search of a finished game is done and returns the result.
func TestGameOver(t *testing.T) {
	s := newSearch(t, envtest.MustTree(2, "a(AB)"), quiet(RootGumbel, 5))
	s.Advance(1)
	require.True(t, s.Done())
	require.Empty(t, s.Gather(nil, 8))
	var r Result
	s.Result(&r)
	require.Equal(t, Result{Value: env.Value{-1, 1}, Best: -1, Proven: true}, r)
	require.Empty(t, s.Variation(nil, r.Best))
}

// TestTicTacToeIsPlayedBest: from every position of tic-tac-toe, a search without knowledge
// plays a best move if it has enough simulations to converge.
func TestTicTacToeIsPlayedBest(t *testing.T) {
	game := ticTacToe(t)
	solution, err := envtest.Solve(game, 10000)
	require.NoError(t, err)
	tests := []struct {
		name, root string
		e          Evaluator
	}{
		{"puct and uniform", RootPUCT, Uniform{}},
		{"puct and rollouts", RootPUCT, NewRollout(game, env.NewRand(1))},
		{"gumbel and uniform", RootGumbel, Uniform{}},
		{"improved policy and uniform", RootImproved, Uniform{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := quiet(test.root, 4000)
			c.PUCT.CPUCT = 2.5
			s := newSearch(t, game, c)
			var r Result
			for _, state := range solution.States() {
				if _, over := state.Result(); over {
					continue
				}
				s.Start(state, nil)
				require.NoError(t, s.Run(t.Context(), test.e))
				s.Result(&r)
				require.Contains(t, solution.Best(state), r.Best, state)
				if r.Proven {
					want, _ := solution.Value(state)
					require.Equal(t, want, r.Value, state)
				}
			}
		})
	}
}

func ticTacToe(t testing.TB) env.Game {
	_, options, err := env.ParseName("mnk")
	require.NoError(t, err)
	game, err := mnk.New(options)
	require.NoError(t, err)
	return game
}
