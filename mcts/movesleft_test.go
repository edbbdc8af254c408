package mcts

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

// lengths evaluates all positions alike, except for the plies left, which depend on the first action
// of the game. The mover at the root slightly prefers action 0.
type lengths struct {
	players int
	payoff  float32 // of the mover at the root
	left    []float32
}

func (e lengths) Evaluate(_ context.Context, leaves []*Leaf) error {
	for _, leaf := range leaves {
		uniform(leaf.Prior)
		leaf.Value = env.Value{e.payoff}
		for seat := 1; seat < e.players; seat++ {
			leaf.Value[seat] = -e.payoff / float32(e.players-1)
		}
		path := leaf.State.String()
		if path == "/" {
			copy(leaf.Prior, []float32{0.55, 0.45})
			leaf.PliesLeft = 50
			continue
		}
		if e.left != nil {
			leaf.PliesLeft = e.left[path[1]-'0'] - float32(strings.Count(path, "/"))
		}
	}
	return nil
}

// TestMovesLeftBonus: of equal moves the root prefers the shorter win and the longer loss, if the
// result is nearly certain, and does so at the first simulations through them.
func TestMovesLeftBonus(t *testing.T) {
	short, long := []float32{40, 60}, []float32{60, 40}
	for _, test := range []struct {
		name    string
		players int
		payoff  float32
		left    []float32
		bonus   float64
		best    env.Action
	}{
		{"shorter win", 2, 0.8, long, 0.05, 1},
		{"longer loss", 2, -0.8, short, 0.05, 1},
		{"already the shorter win", 2, 0.8, short, 0.05, 0},
		{"three seats win", 3, 0.8, long, 0.05, 1},
		{"three seats lose", 3, -0.4, short, 0.05, 1},
		{"uncertain", 2, 0.2, long, 0.05, 0},
		{"off", 2, 0.8, long, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			game := envtest.MustTree(test.players, binary(9))
			for _, root := range []string{RootImproved, RootGumbel, RootPUCT} {
				c := quiet(root, 12)
				c.MovesLeftBonus = test.bonus
				c.Gumbel.VisitScale = 150
				c.PUCT.CPUCT = 0.2
				_, r := run(t, game, c, lengths{test.players, test.payoff, test.left})
				require.Equal(t, test.best, r.Best, root)
				require.InDelta(t, test.payoff, r.Q[1], 1e-6, "Q has no bonus")
			}
		})
	}
}

// TestPliesLeft: the plies left of the root are the mean over its simulations, each from the root;
// they are exact if the root is proven.
func TestPliesLeft(t *testing.T) {
	game := envtest.MustTree(2, binary(9))
	s, r := run(t, game, quiet(RootImproved, 20), lengths{2, 0.5, []float32{50, 50}})
	require.InDelta(t, 50, r.PliesLeft, 1e-9)
	s.Advance(0)
	s.Result(&r)
	require.InDelta(t, 49, r.PliesLeft, 1e-9)

	_, r = run(t, envtest.MustTree(2, "a(b(a(AA)a(AA))b(a(AB)a(AA)))"), quiet(RootPUCT, 100), oracle{2})
	require.True(t, r.Proven)
	require.EqualValues(t, 3, r.PliesLeft)
}

// TestBonusNeedsPredictions: without predicted plies left, the bonus changes nothing.
func TestBonusNeedsPredictions(t *testing.T) {
	for _, root := range []string{RootImproved, RootGumbel, RootPUCT} {
		c := quiet(root, 300)
		want, plain := run(t, ticTacToe(t), c, silent{oracle{2}})
		c.MovesLeftBonus = 1
		got, r := run(t, ticTacToe(t), c, silent{oracle{2}})
		require.Equal(t, draw(want), draw(got))
		require.Equal(t, plain, r)
		require.Zero(t, r.PliesLeft)
	}
}

// silent is an evaluator that does not predict the plies left.
type silent struct{ Evaluator }

func (e silent) Evaluate(ctx context.Context, leaves []*Leaf) error {
	err := e.Evaluator.Evaluate(ctx, leaves)
	for _, leaf := range leaves {
		leaf.PliesLeft = 0
	}
	return err
}
