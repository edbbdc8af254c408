package train_test

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/envtest"
	"tiro/mcts"
	"tiro/models"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/train"
)

// blunders returns the reachable positions of a solved game in which the search, with the
// settings for play and the given number of simulations, chooses an action that is not optimal.
func blunders(t *testing.T, game env.Game, w *net.Weights, simulations int) (bad []string) {
	solution, err := envtest.Solve(game, 10_000)
	require.NoError(t, err)
	c := mcts.Default()
	c.RootNoise = false
	c.Simulations = simulations
	search, err := mcts.New(game, c)
	require.NoError(t, err)
	evaluator := net.NewEvaluator(game, net.Compile(kernel.Best(), w), 16)
	var result mcts.Result
	positions := 0
	for _, s := range solution.States() {
		if _, over := s.Result(); over {
			continue
		}
		positions++
		search.Start(s, nil)
		require.NoError(t, search.Run(context.Background(), evaluator))
		search.Result(&result)
		if !slices.Contains(solution.Best(s), result.Best) {
			bad = append(bad, s.String()+" "+s.ActionString(result.Best))
		}
	}
	require.Equal(t, 4520, positions)
	return bad
}

// TestTicTacToe learns the game from random weights and the rules until it never loses: in all
// 4520 positions, the search never gives away the value of perfect play.
func TestTicTacToe(t *testing.T) {
	c := recipe.Default("")
	require.NoError(t, c.Load("../configs/quick-tictactoe.yaml"))
	game := newGame(t, c.Game)
	dir := t.TempDir()
	run(t, train.Options{Dir: dir, Game: game, Config: c, Workers: runtime.NumCPU(), Backend: kernel.Best(), Generations: 60})
	store := models.NewStore(disk.OS{}, filepath.Join(dir, "checkpoints"), game.Spec())
	for _, test := range []struct{ generation, least, most int }{
		{0, 40, 1000}, // the search alone is not sufficient
		{60, 0, 0},
	} {
		checkpoint, err := store.Load(test.generation)
		require.NoError(t, err)
		bad := blunders(t, game, checkpoint.Weights, 32)
		t.Logf("generation %d: %d mistakes", test.generation, len(bad))
		require.GreaterOrEqual(t, len(bad), test.least)
		require.LessOrEqual(t, len(bad), test.most, "position and action: %q", bad)
	}
}
