package selfplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tiro/env"
	"tiro/mcts"
)

// Job is the self-play of one generation.
type Job struct {
	Game       env.Game
	Config     Config
	Seed       uint64 // of the run
	Generation int
	Games      int // of the generation, indices 0 to Games-1
	Workers    int

	// ResignThreshold is the payoff from which on a seat is taken to have won (Resign); 0:
	// every game is played to its end.
	ResignThreshold float64

	// Evaluator makes the evaluator of one worker. It must judge a position
	// the same whatever else is judged with it.
	Evaluator func() mcts.Evaluator

	// Done are games of this generation that were played before.
	Done []Episode

	// Finished, if not nil, is called with every game as it ends, by one
	// goroutine at a time and in no particular order. An error ends Play.
	Finished func(Episode) error

	// Played, if not nil, is called now and then with how many actions of games
	// under way or finished were chosen since the last call, by one goroutine
	// at a time and at no time together with Finished.
	Played func(actions int)

	// Clock, if not nil, measures Stats.Time. It is called by all workers.
	Clock func() time.Time
}

// Stats are what playing took. They depend on the number of workers and on
// which games were played before, the games do not.
type Stats struct {
	Games       int // finished
	Plies       int // actions of those
	Leaves      int // positions that searches wanted judged
	Evaluations int // of those the ones that no cache answered
	Time        Times
}

// Times is the time of all workers together by part of the work.
type Times struct {
	Gather   time.Duration // walking down the trees
	Evaluate time.Duration // judging positions
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
// index. When ctx is cancelled or something fails it returns soon, the games
// finished so far and the error; no goroutine is left behind.
func Play(ctx context.Context, job Job) ([]Episode, Stats, error) {
	if err := job.validate(); err != nil {
		return nil, Stats{}, fmt.Errorf("selfplay: %w", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b := newBoard(&job)
	defer context.AfterFunc(ctx, b.dismiss)()
	workers := min(job.Workers, len(b.open))
	b.workers = workers
	lanes := 0
	if workers > 0 {
		lanes = min(job.Config.ConcurrentGames, (len(b.open)+workers-1)/workers)
	}
	var wait sync.WaitGroup
	for range workers {
		evaluator := job.Evaluator()
		wait.Go(func() {
			stats, err := work(ctx, b, evaluator, lanes)
			if err != nil {
				stop(err)
			}
			b.leave(stats)
		})
	}
	wait.Wait()
	slices.SortFunc(b.episodes, func(x, y Episode) int { return cmp.Compare(x.Game, y.Game) })
	if err := context.Cause(ctx); err != nil {
		return b.episodes, b.stats, fmt.Errorf("selfplay: generation %d: %w", job.Generation, err)
	}
	return b.episodes, b.stats, nil
}

func (j *Job) validate() error {
	faults := []error{j.Config.Validate()}
	if j.Workers < 1 {
		faults = append(faults, fmt.Errorf("workers is %d; want at least 1", j.Workers))
	}
	if j.Games < 1 {
		faults = append(faults, fmt.Errorf("games of a generation is %d; want at least 1", j.Games))
	}
	if n := j.Game.Spec().Actions(); n > MaxActions {
		faults = append(faults, fmt.Errorf("%s has %d actions; want at most %d", j.Game.Spec().Name, n, MaxActions))
	}
	if !(j.ResignThreshold >= 0 && j.ResignThreshold <= 1) {
		faults = append(faults, fmt.Errorf("resignation threshold is %v; want 0 for none, up to 1", j.ResignThreshold))
	}
	seen := map[int]bool{}
	for _, e := range j.Done {
		if e.Game < 0 || e.Game >= j.Games || seen[e.Game] {
			faults = append(faults, fmt.Errorf("game %d among those done; want each of 0 to %d at most once", e.Game, j.Games-1))
		}
		seen[e.Game] = true
	}
	return errors.Join(faults...)
}
