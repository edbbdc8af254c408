package arena

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/queue"
	"tiro/mcts"
	"tiro/player"
)

// device is a network on a device that all workers share.
type device struct {
	client *queue.Client[[]*mcts.Leaf]
}

func (d device) Evaluate(_ context.Context, leaves []*mcts.Leaf) error {
	return d.client.Do(leaves, len(leaves))
}

// newDevice returns a network that prefers large batches.
func newDevice(game env.Game) player.Network {
	q := queue.New(1, 256, func(_ int, batch [][]*mcts.Leaf) error {
		for _, leaves := range batch {
			if err := mcts.NewRollout(game, env.NewRand(1)).Evaluate(context.Background(), leaves); err != nil {
				return err
			}
		}
		return nil
	})
	return player.Network{Batch: 256, Evaluator: func() mcts.Evaluator { return device{q.NewClient()} }}
}

// TestOnADevice: the games of a match and the answers of an exam do not depend on whether the
// networks are on a device, nor on the number of workers.
func TestOnADevice(t *testing.T) {
	game := ticTacToe(t)
	network := newDevice(game)
	match := func(n player.Network) Match {
		f, err := player.Searching("a", game, player.NetworkConfig(8), 0, n)
		require.NoError(t, err)
		return Match{Game: game, Games: 100, Seed: 2, Opening: 2, Players: []player.Factory{f, player.Must(nil, "random")}}
	}
	plain := match(player.Network{Evaluator: func() mcts.Evaluator { return mcts.NewRollout(game, env.NewRand(1)) }})
	plain.Workers = 1
	want, err := Play(t.Context(), plain)
	require.NoError(t, err)
	m := match(network)
	require.Equal(t, deviceGames, m.AtOnce())
	for _, workers := range []int{1, 2, 5} {
		m.Workers = workers
		got, err := Play(t.Context(), m)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	var states []env.State
	for _, r := range want.Records[:50] {
		s := game.New()
		for _, move := range r.Moves[:len(r.Moves)-1] {
			a, err := env.ParseAction(s, move)
			require.NoError(t, err)
			s.Play(a)
		}
		states = append(states, s)
	}
	ask := func(n player.Network, workers int) []env.Value {
		values := make([]env.Value, len(states))
		e := EngineUnderTest{Search: player.NetworkConfig(8), Evaluator: n.Evaluator, Batch: n.Batch, Workers: workers}
		require.NoError(t, e.Ask(t.Context(), game, states, func() Grader {
			return func(_ context.Context, i int, f *Finding) error {
				values[i] = f.Searched.Value
				return nil
			}
		}))
		return values
	}
	require.Equal(t, ask(player.Network{Evaluator: func() mcts.Evaluator { return mcts.NewRollout(game, env.NewRand(1)) }}, 1), ask(network, 3))
}
