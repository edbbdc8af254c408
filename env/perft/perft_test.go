package perft_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/envtest"
	"tiro/env/games"
	"tiro/env/perft"
)

// TestTurnsOfSeveralActions: a turn consists of all actions up to the next change of
// player.
func TestTurnsOfSeveralActions(t *testing.T) {
	game := envtest.MustTree(2, "a(a(AB) b(AB))") // action 0 continues a's turn, action 1 ends it
	start := perft.Of(game, game.New())
	for depth, want := range []uint64{1, 3, 2} { // turns 0,0 and 0,1 end the game, 1 does not
		for _, threads := range []int{1, 4} {
			total, _, err := perft.Count(t.Context(), start, depth, threads)
			require.NoError(t, err)
			require.Equal(t, want, total, "depth %d", depth)
		}
	}
	_, firsts, err := perft.Count(t.Context(), start, 2, 1)
	require.NoError(t, err)
	require.Equal(t, []perft.First{{"0,0", 0}, {"0,1", 0}, {"1", 2}}, firsts)
}

// TestCancel: counting stops when its context is cancelled.
func TestCancel(t *testing.T) {
	game, err := games.New("connect4")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = perft.Count(ctx, perft.Of(game, game.New()), 30, 2)
	require.ErrorIs(t, err, context.Canceled)
}

func ExampleCount() {
	game, _ := games.New("tictactoe")
	total, firsts, _ := perft.Count(context.Background(), perft.Of(game, game.New()), 5, 2) // no game ends before its fifth ply
	fmt.Println(total, firsts[0])
	// Output: 15120 {a1 1680}
}
