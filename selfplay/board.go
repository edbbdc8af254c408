package selfplay

import (
	"slices"
	"sync"
)

// board is where workers meet: it hands out games, passes them on from workers
// that have many to those that have none left, and takes in episodes.
type board struct {
	job     *Job
	workers int

	mu       sync.Mutex
	wake     *sync.Cond // of workers that wait: something has changed
	waiting  int        // workers without games
	spare    []*lane    // games under way that nobody plays
	over     bool       // there is no point in waiting
	open     []int      // games that nobody has begun, ascending
	episodes []Episode
	stats    Stats
}

func newBoard(job *Job) *board {
	b := &board{job: job, episodes: slices.Clone(job.Done)}
	b.wake = sync.NewCond(&b.mu)
	done := map[int]bool{}
	for _, e := range job.Done {
		done[e.Game] = true
	}
	for game := range job.Games {
		if !done[game] {
			b.open = append(b.open, game)
		}
	}
	return b
}

// claim returns a game that nobody else plays, and false if there is none left.
func (b *board) claim() (game int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.open) == 0 {
		return 0, false
	}
	game, b.open = b.open[0], b.open[1:]
	return game, true
}

// wanted reports whether a worker waits for games.
func (b *board) wanted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting > 0 && len(b.spare) == 0
}

// offer hands over games under way.
func (b *board) offer(lanes []*lane) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spare = append(b.spare, lanes...)
	b.wake.Signal()
}

// adopt waits for games that another worker hands over and returns them, or
// none once no worker has any.
func (b *board) adopt() []*lane {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting++
	for len(b.spare) == 0 && !b.over {
		if b.over = b.waiting == b.workers; b.over {
			b.wake.Broadcast()
		} else {
			b.wake.Wait()
		}
	}
	if b.over {
		return nil
	}
	b.waiting--
	lanes := b.spare
	b.spare = nil
	return lanes
}

// dismiss lets nobody wait any longer.
func (b *board) dismiss() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	b.wake.Broadcast()
}

func (b *board) finish(e Episode) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.episodes = append(b.episodes, e)
	if b.job.Finished == nil {
		return nil
	}
	return b.job.Finished(e)
}

func (b *board) played(actions int) {
	if b.job.Played == nil || actions == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.job.Played(actions)
}

func (b *board) leave(s Stats) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats.add(s)
}
