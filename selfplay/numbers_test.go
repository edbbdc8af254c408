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
		go func() {
			defer close(numbers)
			for i, game := range rand.New(rand.NewPCG(1, uint64(workers))).Perm(job.Games) {
				numbers <- game
				if i%8 == 7 { // wait until all games are over
					for range 8 {
						<-finished
					}
				}
			}
		}()
		none, stats, err := selfplay.Play(context.Background(), job)
		require.NoError(t, err)
		require.Empty(t, none)
		require.Equal(t, job.Games, stats.Games)
		slices.SortFunc(got, func(x, y selfplay.Episode) int { return cmp.Compare(x.Game, y.Game) })
		require.Equal(t, want, file(t, job, got))
	}
}

// TestNoNumbers: a call that receives no numbers ends when the channel is closed or the
// context is cancelled.
func TestNoNumbers(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	numbers := make(chan int)
	job.Workers, job.Numbers = 2, numbers
	close(numbers)
	_, _, err := selfplay.Play(context.Background(), job)
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(context.Background())
	job.Numbers = make(chan int)
	cancel()
	_, _, err = selfplay.Play(ctx, job)
	require.ErrorIs(t, err, context.Canceled)
}
