package envtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

func TestSolveHandSolvedTrees(t *testing.T) {
	trees := []struct {
		name, text string
		players    int
		value      env.Value
		best       []env.Action
		states     int
	}{
		{
			name: "b answers both actions after 0 with its own win, 1 is a draw",
			text: "((AB) (=A))", players: 2, value: env.Value{}, best: []env.Action{1}, states: 7,
		},
		{
			name: "b takes the draw on 0 and the win on 1, so a takes 2",
			text: "((=(CA)) (=(BB)) ((AA)(AA)))", players: 3, value: env.WinFor(0, 3), best: []env.Action{2}, states: 18,
		},
		{
			name: "a decides twice and needs both to win",
			text: "a(a(B A) b(A B))", players: 2, value: env.WinFor(0, 2), best: []env.Action{0}, states: 7,
		},
		{
			name: "b is indifferent between wins of a and c and takes the first",
			text: "(b(CA) =)", players: 3, value: env.Value{}, best: []env.Action{1}, states: 5,
		},
		{
			name: "part of a payoff is better than none",
			text: "(b(A [-0.25, 0.25, 0]) [-0.5, 0.25, 0.25])", players: 3,
			value: env.Value{-0.25, 0.25, 0}, best: []env.Action{0}, states: 5,
		},
	}
	for _, tree := range trees {
		t.Run(tree.name, func(t *testing.T) {
			game := MustTree(tree.players, tree.text)
			solution, err := Solve(game, 100)
			require.NoError(t, err)
			require.Len(t, solution.States(), tree.states)
			value, known := solution.Value(game.New())
			require.True(t, known)
			require.Equal(t, tree.value, value)
			require.Equal(t, tree.best, solution.Best(game.New()))
		})
	}
}

func TestSolveStopsAtItsLimit(t *testing.T) {
	game := MustTree(2, "(A(BA))")
	_, err := Solve(game, 5)
	require.NoError(t, err)
	_, err = Solve(game, 4)
	require.EqualError(t, err, "envtest: solve tree: more than 4 reachable positions")
}
