package selfplay_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/queue"
	"tiro/mcts"
	"tiro/selfplay"
)

// device is an evaluator like opinion that all workers share. It answers batches of several
// workers in a random order, after random delays.
type device struct {
	client *queue.Client[[]*mcts.Leaf]
}

// newDevice returns a function that makes evaluators on a new device.
func newDevice(players, batch int, seed uint64) func() mcts.Evaluator {
	const lanes = 2
	var rngs [lanes]*rand.Rand
	for i := range rngs {
		rngs[i] = rand.New(rand.NewPCG(seed, uint64(i)))
	}
	q := queue.New(lanes, batch, func(lane int, requests [][]*mcts.Leaf) error {
		for _, i := range rngs[lane].Perm(len(requests)) {
			for range rngs[lane].IntN(20) {
				runtime.Gosched()
			}
			if err := (opinion{players}).Evaluate(context.Background(), requests[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return func() mcts.Evaluator { return device{q.NewClient()} }
}

func (d device) Evaluate(_ context.Context, leaves []*mcts.Leaf) error {
	return d.client.Do(leaves, len(leaves))
}

// TestGamesOnADevice: the games on a device are the games without one, for any number of
// workers, size of batches and timing.
func TestGamesOnADevice(t *testing.T) {
	job := newJob(newGame(t, "mnk:m=5,n=5,k=4"))
	want := file(t, job, play(t, job))
	for i, workers := range []int{1, 2, 5} {
		for _, batch := range []int{1, 16, 300} {
			t.Run(fmt.Sprintf("workers %d, batch %d", workers, batch), func(t *testing.T) {
				on := job
				on.Config, on.Workers = job.Config.OnDevice(job.Game, workers, batch, 1<<30)
				on.Evaluator = newDevice(job.Game.Spec().Players, batch, uint64(i))
				require.Equal(t, want, file(t, on, play(t, on)))
			})
		}
	}
}

func TestOnDevice(t *testing.T) {
	c := selfplay.Default()
	game := newGame(t, "mnk")
	same, workers := c.OnDevice(game, 4, 0, 1<<40)
	require.Equal(t, c, same)
	require.Equal(t, 4, workers)

	on, workers := c.OnDevice(game, 4, 4096, 1<<40)
	require.Equal(t, 8, workers)
	require.Equal(t, 1024, on.ConcurrentGames)
	require.Equal(t, c.CachePositions/2, on.CachePositions)

	on, _ = c.OnDevice(game, 4, 4096, 8*100*c.Search.Bytes(game))
	require.Equal(t, 100, on.ConcurrentGames, "memory for 100 trees a worker")
	on, _ = c.OnDevice(game, 4, 4096, 0)
	require.Equal(t, c.ConcurrentGames/2, on.ConcurrentGames, "as many games in all as without a device")
}
