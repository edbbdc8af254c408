package selfplay_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/mcts"
	"tiro/selfplay"
)

// tripwire is an evaluator that calls trip at a certain call, counted over all workers.
type tripwire struct {
	calls *atomic.Int64
	at    int64
	trip  func() error
}

func (w tripwire) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	if w.calls.Add(1) == w.at {
		if err := w.trip(); err != nil {
			return err
		}
	}
	return mcts.Uniform{}.Evaluate(ctx, leaves)
}

// TestEveryJobEnds: Play returns every game or an error with any number of workers, games
// and games done before, and when stopped at any round.
func TestEveryJobEnds(t *testing.T) {
	game := newGame(t, "mnk")
	rapid.Check(t, func(t *rapid.T) {
		job := newJob(game)
		job.Games = rapid.IntRange(1, 20).Draw(t, "games")
		job.Workers = rapid.IntRange(1, 24).Draw(t, "workers")
		job.Config.CachePositions = 64
		job.Config.ConcurrentGames = rapid.IntRange(1, 5).Draw(t, "at once")
		job.Config.Search.Simulations = rapid.IntRange(1, 6).Draw(t, "simulations")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		wire := tripwire{calls: new(atomic.Int64), at: rapid.Int64Range(0, 60).Draw(t, "trip at")}
		want := context.Canceled
		wire.trip = func() error { cancel(); return nil }
		if rapid.Bool().Draw(t, "fault") {
			want = errBroken
			wire.trip = func() error { return errBroken }
		}
		job.Evaluator = func() mcts.Evaluator { return wire }
		some, _, err := selfplay.Play(ctx, job)
		if err != nil {
			require.ErrorIs(t, err, want)
		} else {
			require.Len(t, some, job.Games)
		}

		job.Evaluator = func() mcts.Evaluator { return mcts.Uniform{} }
		job.Done = slices.Clone(some)
		all, _, err := selfplay.Play(t.Context(), job)
		require.NoError(t, err)
		require.Len(t, all, job.Games)
	})
}

// TestCancelWithoutEvaluations: a cancelled search ends even if it only repeats known
// values and never calls the evaluator.
func TestCancelWithoutEvaluations(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	job.Config.Search.Simulations, job.Config.Search.MaxNodes = 1_000_000_000, 20_000
	job.Workers = 1
	job.Evaluator = func() mcts.Evaluator { return mcts.Uniform{} }
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, _, err := selfplay.Play(ctx, job)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
