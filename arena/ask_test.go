package arena

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/mcts"
	"tiro/player"
)

// TestAskForced: a position with one legal action is searched like every other one.
func TestAskForced(t *testing.T) {
	game := envtest.MustTree(2, "((AB))")
	e := EngineUnderTest{Search: player.NetworkConfig(8), Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }, Workers: 1}
	require.NoError(t, e.Ask(t.Context(), game, []env.State{game.New()}, func() Grader {
		return func(_ context.Context, _ int, f *Finding) error {
			require.Equal(t, env.Value{-1, 1}, f.Searched.Value)
			return nil
		}
	}))
}
