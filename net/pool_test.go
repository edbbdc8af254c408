package net_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/connect4"
	"tiro/internal/leaks"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
)

func connectFour(t *testing.T) env.Game {
	_, options, err := env.ParseName("connect4")
	require.NoError(t, err)
	game, err := connect4.New(options)
	require.NoError(t, err)
	return game
}

func TestPoolAnswersAsOne(t *testing.T) {
	defer leaks.Check(t)
	game := connectFour(t)
	model := net.Compile(kernel.Best(), nettest.Weights(game.Spec(), net.Config{Channels: 16, Blocks: 2, Pool: true, OutcomeChannels: 4, Hidden: 8}, env.NewRand(3)))
	one := net.NewEvaluator(game, model, 32)
	for _, threads := range []int{0, 1, 2, 3, 7} {
		pool := net.NewEvaluatorPool(game, model, threads, 4)
		for _, n := range []int{0, 1, 5, 11, 19} {
			want, got := leavesOf(game, n), leavesOf(game, n)
			require.NoError(t, one.Evaluate(context.Background(), want))
			require.NoError(t, pool.Evaluate(context.Background(), got))
			for i := range want {
				require.Equal(t, want[i].Prior, got[i].Prior, "%d threads, leaf %d of %d", threads, i, n)
				require.Equal(t, want[i].Value, got[i].Value, "%d threads, leaf %d of %d", threads, i, n)
			}
		}
	}
}

func TestPoolStops(t *testing.T) {
	defer leaks.Check(t)
	game := connectFour(t)
	pool := net.NewEvaluatorPool(game, net.Compile(kernel.Best(), nettest.Weights(game.Spec(), net.Config{Channels: 16, Blocks: 1, OutcomeChannels: 4}, env.NewRand(3))), 2, 4)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, pool.Evaluate(ctx, leavesOf(game, 8)), context.Canceled)
	require.NoError(t, pool.Evaluate(context.Background(), leavesOf(game, 8)), "the pool can be used again")
	leaves := leavesOf(game, 8)
	require.Zero(t, testing.AllocsPerRun(50, func() { _ = pool.Evaluate(context.Background(), leaves) }))
}
