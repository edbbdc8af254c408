package selfplay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/mcts"
)

// Job describes the self-play of one generation. All functions except Evaluator may be nil.
type Job struct {
	Game       env.Game
	Config     Config
	Seed       uint64 // seed of the run
	Generation int
	Games      int // number of games in the generation, numbered 0 to Games-1
	Workers    int
	Done       []Episode // games of this generation that were played before

	// Numbers supplies the numbers of games to play until ctx ends. If nil, all games not in
	// Done are played. With Numbers, Play returns no games; they are passed to Finished.
	Numbers <-chan int
	// InHand returns the number of games received from Numbers but not finished, which the
	// workers share evenly. Numbers requires it.
	InHand func() int
	// Unwanted reports whether a game received from Numbers need not be finished. If nil,
	// all games are finished.
	Unwanted func(game int) bool

	// Evaluator creates the evaluator of one worker. Its evaluation of a position must not
	// depend on the rest of the batch.
	Evaluator func() mcts.Evaluator
	// Finished is called with every game when it ends, also encoded, by the worker that
	// played it, so by several goroutines at a time and in no particular order. An error
	// ends Play.
	Finished func(Episode, Encoded) error
	// Played is called from time to time with the number of actions that a worker chose
	// since its last call, by several goroutines at a time.
	Played func(actions int)
	// Clock measures Stats.Time. All workers call it.
	Clock func() time.Time
}

// Stats describes the work of a call of Play. Unlike the games, it depends on the number of
// workers and on the games in Job.Done.
type Stats struct {
	Games       int // number of finished games
	Plies       int // number of their actions
	Leaves      int // positions submitted by searches
	Evaluations int // leaves not answered by a cache
	Time        Times
}

// Times is the total time of all workers for each part of the work.
type Times struct {
	Gather   time.Duration // descending the trees
	Evaluate time.Duration // evaluating positions
	Apply    time.Duration // backing up values
	Other    time.Duration // choosing moves and recording
}

func (s *Stats) add(o Stats) {
	s.Games += o.Games
	s.Plies += o.Plies
	s.Leaves += o.Leaves
	s.Evaluations += o.Evaluations
	s.Time.Gather += o.Time.Gather
	s.Time.Evaluate += o.Time.Evaluate
	s.Time.Apply += o.Time.Apply
	s.Time.Other += o.Time.Other
}

// Play plays the games of job that are not in job.Done and returns all games ordered by
// number. If ctx is cancelled or something fails, it soon returns the games finished so far
// and the error, and leaves no goroutine behind.
func Play(ctx context.Context, job Job) ([]Episode, Stats, error) {
	if err := job.Validate(); err != nil {
		return nil, Stats{}, fmt.Errorf("selfplay: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := newDispatcher(&job)
	slots := job.slots(d.expected())
	all := make([]Stats, min(job.Workers, d.expected()))
	d.begin(len(all))
	var wait sync.WaitGroup
	for i := range all {
		evaluator := job.Evaluator()
		wait.Go(func() {
			var err error
			if all[i], err = work(ctx, d, evaluator, slots); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	var stats Stats
	for _, s := range all {
		stats.add(s)
	}
	slices.SortFunc(d.episodes, func(x, y Episode) int { return cmp.Compare(x.Game, y.Game) })
	if err := context.Cause(ctx); err != nil {
		return d.episodes, stats, fmt.Errorf("selfplay: %w", err)
	}
	return d.episodes, stats, nil
}

// slots returns the number of games that a worker plays concurrently, given the total
// number of games.
func (j *Job) slots(games int) int {
	return min(j.Config.ConcurrentGames, (games+j.Workers-1)/j.Workers)
}

// Validate returns an error that lists everything invalid about the job.
func (j *Job) Validate() error {
	var f faults.List
	f.Add(j.Config.Validate())
	f.Add(CheckActions(j.Game.Spec()))
	f.Check(j.Workers >= 1, "workers", j.Workers, "at least 1")
	f.Check(j.Games >= 1, "games of a generation", j.Games, "at least 1")
	seen := map[int]bool{}
	for _, e := range j.Done {
		if e.Game < 0 || e.Game >= j.Games || seen[e.Game] {
			f.Add(fmt.Errorf("game %d among the games done is a duplicate or not within 0 to %d", e.Game, j.Games-1))
		}
		seen[e.Game] = true
	}
	return f.Err()
}
