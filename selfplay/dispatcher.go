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
	busy  atomic.Int64  // workers with games, games on their way to one, and Job.Numbers while it is open
	idle  chan struct{} // closed when no worker has games, and none are to come

	closed, ended sync.Once // of Job.Numbers, and of idle

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

// expected returns how many games there may be at once.
func (d *dispatcher) expected() int {
	if d.job.Numbers != nil {
		return d.job.Workers * d.job.Config.ConcurrentGames
	}
	return len(d.open)
}

// begin notes that so many workers begin.
func (d *dispatcher) begin(workers int) {
	d.busy.Store(int64(workers))
	if d.job.Numbers != nil {
		d.busy.Add(1)
	}
}

// rest notes that a worker has no games any more, or that none are to come.
func (d *dispatcher) rest() {
	if d.busy.Add(-1) <= 0 {
		d.ended.Do(func() { close(d.idle) })
	}
}

// next returns a game to begin, or false if there is none now.
func (d *dispatcher) next() (game int, ok bool) {
	if d.job.Numbers != nil {
		select {
		case game, ok = <-d.job.Numbers:
			if !ok {
				d.closed.Do(d.rest)
			}
		default:
		}
		return game, ok
	}
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

// take waits for games in flight that another worker gives, or for the number of a
// game to begin, and returns them. It returns neither once there are none, or ctx
// is done.
func (d *dispatcher) take(ctx context.Context) (slots []*slot, game int, ok bool) {
	d.rest()
	numbers := d.job.Numbers
	for {
		select {
		case slots = <-d.spare:
			return slots, 0, false
		case game, ok = <-numbers:
			if ok {
				d.busy.Add(1)
				return nil, game, true
			}
			numbers = nil
			d.closed.Do(d.rest)
		case <-d.idle:
			return nil, 0, false
		case <-ctx.Done():
			return nil, 0, false
		}
	}
}

// finish records a finished game.
func (d *dispatcher) finish(e Episode) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.job.Numbers == nil {
		d.episodes = append(d.episodes, e)
	}
	if d.job.Finished == nil {
		return nil
	}
	return d.job.Finished(e)
}

// played reports that so many actions were chosen.
func (d *dispatcher) played(actions int) {
	if d.job.Played == nil || actions == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.job.Played(actions)
}
