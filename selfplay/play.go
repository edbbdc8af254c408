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

// Job is the self-play of one generation. The functions but Evaluator may be nil.
type Job struct {
	Game            env.Game
	Config          Config
	Seed            uint64 // of the run
	Generation      int
	Games           int // of the generation, numbered 0 to Games-1
	Workers         int
	ResignThreshold float64   // payoff from which on a seat has won, see Resign; 0: games are played to their end
	Done            []Episode // games of this generation that were played before

	// Numbers are the games to play, as they come, until it is closed; nil: all that
	// are not done. With Numbers, Play returns no games: Finished gets them.
	Numbers <-chan int
	// InHand returns, with Numbers, how many games have come and not ended; nil: as many as
	// there are slots. Workers share these games evenly.
	InHand func() int
	// Unwanted reports, with Numbers, whether a game need not be played to its end; nil:
	// all must.
	Unwanted func(game int) bool

	// Evaluator makes the evaluator of one worker. It must evaluate a position
	// the same whatever else is in the batch.
	Evaluator func() mcts.Evaluator
	// Finished is called with every game as it ends, by one goroutine at a time
	// and in no particular order. An error ends Play.
	Finished func(Episode) error
	// Played is called now and then with the number of actions chosen since the last
	// call, by one goroutine at a time and never while Finished runs.
	Played func(actions int)
	// Clock measures Stats.Time. It is called by all workers.
	Clock func() time.Time
}

// Stats are what playing took. Unlike the games they depend on the number of
// workers and on which games were played before.
type Stats struct {
	Games       int // finished
	Plies       int // actions of those
	Leaves      int // positions that searches wanted evaluated
	Evaluations int // leaves that no cache answered
	Time        Times
}

// Times is the time of all workers together by part of the work.
type Times struct {
	Gather   time.Duration // walking down the trees
	Evaluate time.Duration // evaluating positions
	Apply    time.Duration // walking back up
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

// Play plays the games of job that are not done and returns all of them by
// number. When ctx is cancelled or something fails it soon returns the games
// finished so far and the error; no goroutine is left behind.
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
		return d.episodes, stats, fmt.Errorf("selfplay: generation %d: %w", job.Generation, err)
	}
	return d.episodes, stats, nil
}

// slots returns how many games a worker plays at once when there are games in all.
func (j *Job) slots(games int) int {
	return min(j.Config.ConcurrentGames, (games+j.Workers-1)/j.Workers)
}

// Validate reports everything that is wrong with a job.
func (j *Job) Validate() error {
	var f faults.List
	f.Add(j.Config.Validate())
	f.Add(checkActions(j.Game.Spec()))
	f.Check(j.Workers >= 1, "workers", j.Workers, "at least 1")
	f.Check(j.Games >= 1, "games of a generation", j.Games, "at least 1")
	f.Check(j.ResignThreshold >= 0 && j.ResignThreshold <= 1, "resignation threshold", j.ResignThreshold, "0 for none, up to 1")
	seen := map[int]bool{}
	for _, e := range j.Done {
		if e.Game < 0 || e.Game >= j.Games || seen[e.Game] {
			f.Add(fmt.Errorf("game %d among those done; want each of 0 to %d at most once", e.Game, j.Games-1))
		}
		seen[e.Game] = true
	}
	return f.Err()
}
