package selfplay

import (
	"context"
	"fmt"
	"time"

	"tiro/mcts"
)

// worker plays games in lockstep on one goroutine.
type worker struct {
	*dispatcher
	evaluator mcts.Evaluator
	cache     *mcts.Cache // same as evaluator, or nil
	slots     []*slot
	free      []*slot      // unused slots
	leaves    []*mcts.Leaf // leaves of this round, in the order of the slots
	stats     Stats
	lastLap   time.Time
	moves     int // number of chosen actions not reported yet
}

// work plays games until no worker has any left. The worker begins with at most the given
// number of slots.
func work(ctx context.Context, d *dispatcher, evaluator mcts.Evaluator, slots int) (Stats, error) {
	w := &worker{dispatcher: d, evaluator: evaluator}
	if n := d.job.Config.CachePositions; n > 0 {
		w.cache = mcts.NewCache(w.evaluator, n)
		w.evaluator = w.cache
	}
	if d.job.Numbers == nil {
		if err := w.fill(slots); err != nil {
			return w.stats, err
		}
	}
	for more := true; more; more = len(w.slots) > 0 {
		w.lap(nil)
		for len(w.slots) > 0 {
			if err := w.refill(); err != nil {
				return w.stats, err
			}
			w.giveHalf()
			if err := w.round(ctx); err != nil {
				return w.stats, err
			}
		}
		given, game, ok := d.take(ctx)
		w.slots = given
		if ok {
			if err := w.begin(game); err != nil {
				return w.stats, err
			}
		}
	}
	w.stats.Evaluations = w.stats.Leaves
	if w.cache != nil {
		w.stats.Evaluations = int(w.cache.Misses())
	}
	return w.stats, nil
}

// fill begins games until the given number of slots is in use or no game is available.
func (w *worker) fill(slots int) error {
	for len(w.slots) < slots {
		game, ok := w.next()
		if !ok {
			break
		}
		if err := w.begin(game); err != nil {
			return err
		}
	}
	return nil
}

// refill fills unused slots if more games have arrived.
func (w *worker) refill() error {
	if w.job.Numbers == nil {
		return nil
	}
	return w.fill(w.job.slots(w.job.InHand()))
}

// begin begins a game in an additional slot.
func (w *worker) begin(game int) error {
	if len(w.free) == 0 {
		c := w.job.Config.Search
		c.Simulations = w.job.Config.Simulations(w.job.Generation)
		search, err := mcts.New(w.job.Game, c)
		if err != nil {
			return err
		}
		w.free = append(w.free, &slot{job: w.job, search: search})
	}
	last := len(w.free) - 1
	s := w.free[last]
	w.free = w.free[:last]
	s.begin(game)
	w.slots = append(w.slots, s)
	return nil
}

// giveHalf passes half of the games to a worker without games, if there is one. This
// happens near the end of a generation, when no new games are left.
func (w *worker) giveHalf() {
	keep := (len(w.slots) + 1) / 2
	if keep < len(w.slots) && w.give(w.slots[keep:]) {
		w.slots = w.slots[:keep:keep]
	}
}

// round advances every game by one step: gather, evaluate once, apply.
func (w *worker) round(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := w.gather(ctx); err != nil {
		return err
	}
	w.stats.Leaves += len(w.leaves)
	if err := w.evaluator.Evaluate(ctx, w.leaves); err != nil {
		return err
	}
	w.lap(&w.stats.Time.Evaluate)
	rest := w.leaves
	for _, s := range w.slots {
		s.search.Apply(rest[:s.leaves])
		rest = rest[s.leaves:]
	}
	w.lap(&w.stats.Time.Apply)
	return nil
}

// gather collects the leaves of every slot. A game whose search is done plays moves until
// it has leaves again. A finished game is replaced with the next one; if there is none, its
// slot is released.
func (w *worker) gather(ctx context.Context) error {
	w.leaves = w.leaves[:0]
	most := w.job.Config.maxLeaves(len(w.slots))
	kept := w.slots[:0]
	for _, s := range w.slots {
		before, more := len(w.leaves), true
		for more && len(w.leaves) == before {
			w.leaves = s.search.Gather(w.leaves, most)
			if len(w.leaves) > before {
				continue
			}
			if err := context.Cause(ctx); err != nil { // solved positions may need no evaluations for a long time
				return err
			}
			if !s.search.Done() {
				continue
			}
			w.lap(&w.stats.Time.Gather)
			if w.job.Unwanted != nil && w.job.Unwanted(s.episode.Game) {
				more = w.replace(s)
				continue
			}
			if _, over := s.search.State().Result(); !over {
				s.move()
				w.moves++
			}
			var err error
			if more, err = w.nextGame(s); err != nil {
				return err
			}
			w.lap(&w.stats.Time.Other)
		}
		if s.leaves = len(w.leaves) - before; more {
			kept = append(kept, s)
		} else if w.job.Numbers != nil {
			w.free = append(w.free, s)
		}
	}
	w.slots = kept
	w.lap(&w.stats.Time.Gather)
	w.report()
	return nil
}

// report reports the actions chosen since the last call.
func (w *worker) report() {
	if w.job.Played != nil && w.moves > 0 {
		w.job.Played(w.moves)
	}
	w.moves = 0
}

// nextGame records the game of a slot if it has ended, and begins the next one. It returns
// false if there is none.
func (w *worker) nextGame(s *slot) (more bool, err error) {
	spec, state := s.job.Game.Spec(), s.search.State()
	v, over := state.Result()
	if err := spec.CheckResult(v, over, len(s.episode.Actions)); err != nil {
		return false, fmt.Errorf("game %d of %s, in %s: %w", s.episode.Game, spec.Name, state, err)
	}
	if !over {
		return true, nil
	}
	w.stats.Games++
	w.stats.Plies += len(s.episode.Actions)
	w.report()
	if err := w.finish(s.end()); err != nil {
		return false, fmt.Errorf("record game %d: %w", s.episode.Game, err)
	}
	return w.replace(s), nil
}

// replace begins the next game in a slot. It returns false if there is none.
func (w *worker) replace(s *slot) bool {
	game, ok := w.next()
	if ok {
		s.begin(game)
	}
	return ok
}

// lap adds the time since the last call to part.
func (w *worker) lap(part *time.Duration) {
	if w.job.Clock == nil {
		return
	}
	now := w.job.Clock()
	if part != nil {
		*part += now.Sub(w.lastLap)
	}
	w.lastLap = now
}
