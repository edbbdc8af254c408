package selfplay

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// dispatcher hands out games to workers, moves games in flight from workers
// that have many to those that have none left, and collects episodes.
type dispatcher struct {
	job   *Job
	spare chan []*slot  // games in flight, from a worker to one that waits
	busy  atomic.Int64  // workers with games, and games on their way to one
	idle  chan struct{} // closed when no worker has games

	mu       sync.Mutex
	open     []int // games that nobody has begun, ascending
	episodes []Episode
}

func newDispatcher(job *Job) *dispatcher {
	d := &dispatcher{job: job, spare: make(chan []*slot), idle: make(chan struct{}), episodes: slices.Clone(job.Done)}
	done := map[int]bool{}
	for _, e := range job.Done {
		done[e.Game] = true
	}
	for game := range job.Games {
		if !done[game] {
			d.open = append(d.open, game)
		}
	}
	return d
}

// next returns a game to begin, or false if there is none left.
func (d *dispatcher) next() (game int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.open) == 0 {
		return 0, false
	}
	game, d.open = d.open[0], d.open[1:]
	return game, true
}

// give hands over games in flight if a worker waits for them, and reports whether
// it did.
func (d *dispatcher) give(slots []*slot) bool {
	d.busy.Add(1) // not later, or the other worker might be taken for the last one
	select {
	case d.spare <- slots:
		return true
	default:
		d.busy.Add(-1)
		return false
	}
}

// take waits for games in flight that another worker gives and returns them, or
// none once no worker has any or ctx is done.
func (d *dispatcher) take(ctx context.Context) []*slot {
	if d.busy.Add(-1) == 0 {
		close(d.idle)
	}
	select {
	case slots := <-d.spare:
		return slots
	case <-d.idle:
	case <-ctx.Done():
	}
	return nil
}

// finish records a finished game.
func (d *dispatcher) finish(e Episode) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.episodes = append(d.episodes, e)
	if d.job.Finished == nil {
		return nil
	}
	return d.job.Finished(e)
}

// played reports that so many actions were chosen, and by how much the games grew.
func (d *dispatcher) played(actions int, bytes int64) error {
	if d.job.Played == nil || actions == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.job.Played(actions, bytes)
}
