package selfplay

import (
	"slices"
	"sync"
)

// dispatcher hands out games to workers, moves games in flight from workers
// that have many to those that have none left, and collects episodes.
type dispatcher struct {
	job     *Job
	workers int

	mu       sync.Mutex
	changed  *sync.Cond // wakes waiting workers
	waiting  int        // workers without games
	spare    []*slot    // games in flight that no worker plays
	over     bool       // nobody need wait any longer
	open     []int      // games that nobody has begun, ascending
	episodes []Episode
}

func newDispatcher(job *Job) *dispatcher {
	d := &dispatcher{job: job, episodes: slices.Clone(job.Done)}
	d.changed = sync.NewCond(&d.mu)
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

// wanted reports whether a worker waits for games.
func (d *dispatcher) wanted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waiting > 0 && len(d.spare) == 0
}

// give hands over games in flight to a worker that waits.
func (d *dispatcher) give(slots []*slot) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spare = append(d.spare, slots...)
	d.changed.Signal()
}

// take waits for games in flight that another worker gives and returns them, or
// none once no worker has any.
func (d *dispatcher) take() []*slot {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting++
	for len(d.spare) == 0 && !d.over {
		if d.over = d.waiting == d.workers; d.over {
			d.changed.Broadcast()
		} else {
			d.changed.Wait()
		}
	}
	if d.over {
		return nil
	}
	d.waiting--
	slots := d.spare
	d.spare = nil
	return slots
}

// stop lets nobody wait any longer.
func (d *dispatcher) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.changed.Broadcast()
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

// played reports that so many actions were chosen.
func (d *dispatcher) played(actions int) {
	if d.job.Played == nil || actions == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.job.Played(actions)
}
