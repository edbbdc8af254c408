package selfplay

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// dispatcher assigns games to workers, moves games in flight from busy workers to idle
// ones, and collects episodes.
type dispatcher struct {
	job   *Job
	spare chan []*slot  // games in flight, passed to a waiting worker
	busy  atomic.Int64  // number of workers with games, of games in transit to a worker, plus 1 with Job.Numbers
	idle  chan struct{} // closed when no worker has games and no more can come

	mu       sync.Mutex
	open     []int // games not begun, ascending; none with Job.Numbers
	episodes []Episode
}

func newDispatcher(job *Job) *dispatcher {
	d := &dispatcher{job: job, spare: make(chan []*slot), idle: make(chan struct{}), episodes: slices.Clone(job.Done)}
	if job.Numbers != nil {
		return d
	}
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

// expected returns an upper bound on the number of concurrent games.
func (d *dispatcher) expected() int {
	if d.job.Numbers != nil {
		return d.job.Workers * d.job.Config.ConcurrentGames
	}
	return len(d.open)
}

// begin records the number of workers that begin.
func (d *dispatcher) begin(workers int) {
	d.busy.Store(int64(workers))
	if d.job.Numbers != nil {
		d.busy.Add(1)
	}
}

// next returns a game to begin, or false if none is available now.
func (d *dispatcher) next() (game int, ok bool) {
	if d.job.Numbers != nil {
		select {
		case game = <-d.job.Numbers:
			return game, true
		default:
			return 0, false
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.open) == 0 {
		return 0, false
	}
	game, d.open = d.open[0], d.open[1:]
	return game, true
}

// give passes games in flight to a waiting worker, and reports whether there was one.
func (d *dispatcher) give(slots []*slot) bool {
	d.busy.Add(1) // before sending, or the receiver might be counted as the last worker
	select {
	case d.spare <- slots:
		return true
	default:
		d.busy.Add(-1)
		return false
	}
}

// take waits for games in flight from another worker, or for the number of a game to begin,
// and returns them. It returns neither if no more can come or ctx is done.
func (d *dispatcher) take(ctx context.Context) (slots []*slot, game int, ok bool) {
	if d.busy.Add(-1) == 0 {
		close(d.idle)
	}
	select {
	case slots = <-d.spare:
	case game = <-d.job.Numbers:
		d.busy.Add(1)
		ok = true
	case <-d.idle:
	case <-ctx.Done():
	}
	return slots, game, ok
}

// finish records a finished game.
func (d *dispatcher) finish(e Episode) error {
	if d.job.Numbers == nil {
		d.mu.Lock()
		d.episodes = append(d.episodes, e)
		d.mu.Unlock()
	}
	if d.job.Finished == nil {
		return nil
	}
	encoded, err := Encode(&e)
	if err != nil {
		return err
	}
	return d.job.Finished(e, encoded)
}
