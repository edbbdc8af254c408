package selfplay_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/selfplay"
)

// TestNumbers: games whose numbers arrive one by one, with pauses in which no worker has a
// game, equal games whose numbers are known from the beginning.
func TestNumbers(t *testing.T) {
	for _, workers := range []int{1, 3} {
		job := newJob(newGame(t, "mnk"))
		want := file(t, job, play(t, job))
		numbers := make(chan int, 2)
		job.Workers, job.Numbers = workers, numbers
		var got []selfplay.Episode
		finished := make(chan struct{}, job.Games)
		var mu sync.Mutex
		job.Finished = func(e selfplay.Episode, _ selfplay.Encoded) error {
			mu.Lock()
			got = append(got, e)
			mu.Unlock()
			finished <- struct{}{}
			return nil
		}
		job.InHand = func() int { return job.Workers * job.Config.ConcurrentGames }
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			defer cancel()
			for i, game := range rand.New(rand.NewPCG(1, uint64(workers))).Perm(job.Games) {
				numbers <- game
				if i%8 == 7 || i == job.Games-1 { // wait until all games are over
					for range i%8 + 1 {
						<-finished
					}
				}
			}
		}()
		none, stats, err := selfplay.Play(ctx, job)
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, none)
		require.Equal(t, job.Games, stats.Games)
		slices.SortFunc(got, func(x, y selfplay.Episode) int { return cmp.Compare(x.Game, y.Game) })
		require.Equal(t, want, file(t, job, got))
	}
}

// TestManyNumbers: a job whose numbers arrive one by one takes no memory for games to come.
func TestManyNumbers(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	job.Games, job.Numbers = 1<<40, make(chan int)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := selfplay.Play(ctx, job)
	require.ErrorIs(t, err, context.Canceled)
}
