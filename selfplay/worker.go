package selfplay

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"tiro/env"
	"tiro/mcts"
)

// What the random draws of a game are for: the last key of its generators.
const (
	drawSearch = iota // noise inside the search
	drawMoves         // opening, sampled actions, cheap moves
	drawPlayOn        // whether the game is played to its end
)

// worker plays games in lockstep on one goroutine.
type worker struct {
	board     *board
	evaluator mcts.Evaluator
	cache     *mcts.Cache // the evaluator, if it is one
	lanes     []*lane
	leaves    []*mcts.Leaf // of this round, lane after lane
	stats     Stats
	played    int       // actions chosen in this round
	last      time.Time // when the clock was looked at last
}

// lane is a game under way.
type lane struct {
	job     *Job
	search  *mcts.Search
	moves   *rand.Rand
	full    bool // whether the move being searched is searched in full
	episode Episode
	streak  streak
	decided bool // the game is broken off
	leaves  int  // of this round
	result  mcts.Result
	weights []float64 // of a sampled action
}

// work plays games until nobody has any left.
func work(ctx context.Context, b *board, evaluator mcts.Evaluator, lanes int) (Stats, error) {
	w := &worker{board: b, evaluator: evaluator}
	if n := b.job.Config.CachePositions; n > 0 {
		w.cache = mcts.NewCache(w.evaluator, n)
		w.evaluator = w.cache
	}
	if err := w.fill(lanes); err != nil {
		return w.stats, err
	}
	for alive := true; alive; alive = len(w.lanes) > 0 {
		w.lap(nil)
		for len(w.lanes) > 0 {
			w.share()
			if err := w.round(ctx); err != nil {
				return w.stats, err
			}
		}
		w.lanes = b.adopt()
	}
	w.stats.Evaluations = w.stats.Leaves
	if w.cache != nil {
		w.stats.Evaluations = int(w.cache.Misses())
	}
	return w.stats, nil
}

// fill begins as many games as there are lanes for.
func (w *worker) fill(lanes int) error {
	for range lanes {
		game, ok := w.board.claim()
		if !ok {
			return nil
		}
		search, err := mcts.New(w.board.job.Game, w.board.job.Config.Search)
		if err != nil {
			return err
		}
		l := &lane{job: w.board.job, search: search}
		l.begin(game)
		w.lanes = append(w.lanes, l)
	}
	return nil
}

// share hands half of the games over if another worker has none: towards the
// end of a generation, when no new games are left to begin.
func (w *worker) share() {
	if len(w.lanes) > 1 && w.board.wanted() {
		keep := (len(w.lanes) + 1) / 2
		w.board.offer(w.lanes[keep:])
		w.lanes = w.lanes[:keep:keep]
	}
}

// round lets every game take one step: gather, one evaluation, apply.
func (w *worker) round(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w.played = 0
	if err := w.gather(); err != nil {
		return err
	}
	w.board.played(w.played)
	w.stats.Leaves += len(w.leaves)
	if err := w.evaluator.Evaluate(ctx, w.leaves); err != nil {
		return err
	}
	w.lap(&w.stats.Time.Evaluate)
	rest := w.leaves
	for _, l := range w.lanes {
		l.search.Apply(rest[:l.leaves])
		rest = rest[l.leaves:]
	}
	w.lap(&w.stats.Time.Apply)
	return nil
}

// gather collects the leaves of every lane. A game whose search is done moves
// on until it wants leaves again; a finished game makes room for the next one,
// and its lane goes when there is none.
func (w *worker) gather() error {
	w.leaves = w.leaves[:0]
	most := w.board.job.Config.leaves(len(w.lanes))
	kept := w.lanes[:0]
	for _, l := range w.lanes {
		before, alive := len(w.leaves), true
		for alive && len(w.leaves) == before {
			w.leaves = l.search.Gather(w.leaves, most)
			if len(w.leaves) > before || !l.search.Done() {
				continue
			}
			w.lap(&w.stats.Time.Gather)
			var err error
			if alive, err = w.moveOn(l); err != nil {
				return err
			}
			w.lap(&w.stats.Time.Other)
		}
		if l.leaves = len(w.leaves) - before; alive {
			kept = append(kept, l)
		}
	}
	w.lanes = kept
	w.lap(&w.stats.Time.Gather)
	return nil
}

// moveOn plays the move that the lane's search has found. At the end of the
// game it records it and begins the next one; it returns false if there is
// none.
func (w *worker) moveOn(l *lane) (alive bool, err error) {
	if _, over := l.search.State().Result(); !over {
		l.move()
		w.played++
	}
	if _, over := l.search.State().Result(); !over && !l.decided {
		return true, nil
	}
	w.stats.Games++
	w.stats.Plies += len(l.episode.Actions)
	if err := w.board.finish(l.end()); err != nil {
		return false, fmt.Errorf("record game %d: %w", l.episode.Game, err)
	}
	game, ok := w.board.claim()
	if ok {
		l.begin(game)
	}
	return ok, nil
}

// lap adds the time since the last call to part.
func (w *worker) lap(part *time.Duration) {
	if w.board.job.Clock == nil {
		return
	}
	now := w.board.job.Clock()
	if part != nil {
		*part += now.Sub(w.last)
	}
	w.last = now
}

// begin starts a game.
func (l *lane) begin(game int) {
	key := func(purpose uint64) *rand.Rand {
		return env.NewRand(l.job.Seed, uint64(l.job.Generation), uint64(game), purpose)
	}
	l.moves = key(drawMoves)
	l.episode = Episode{Game: game}
	resign := &l.job.Config.Resign
	l.streak, l.decided = streak{moves: resign.ConsecutiveMoves, level: l.job.ResignThreshold}, false
	if resign.ConsecutiveMoves > 0 {
		l.episode.NoResign = key(drawPlayOn).Float64() < resign.NoResignProbability || l.job.ResignThreshold == 0
	}
	root := l.opening()
	l.budget()
	l.search.Start(root, key(drawSearch))
}

// opening plays the random actions that some games begin with. It never ends
// the game.
func (l *lane) opening() env.State {
	s := l.job.Game.New()
	c := &l.job.Config
	if c.RandomOpeningPlies == 0 || l.moves.Float64() >= c.RandomOpeningProbability {
		return s
	}
	next := l.job.Game.New()
	var legal []env.Action
	for range 1 + l.moves.IntN(c.RandomOpeningPlies) {
		legal = s.Legal(legal[:0])
		a := legal[l.moves.IntN(len(legal))]
		next.CopyFrom(s)
		next.Play(a)
		if _, over := next.Result(); over {
			break
		}
		s, next = next, s
		l.episode.Actions = append(l.episode.Actions, a)
	}
	l.episode.Opening = len(l.episode.Actions)
	return s
}

// budget decides whether the coming move is searched in full, and sets the
// search's simulations.
func (l *lane) budget() {
	c := &l.job.Config
	l.full = c.FullSearchProbability == 1 || l.moves.Float64() < c.FullSearchProbability
	if l.full {
		l.search.SetSimulations(c.Simulations(l.job.Generation))
	} else {
		l.search.SetSimulations(c.CheapSimulations)
	}
}

// move chooses an action, records what the search found and plays it.
func (l *lane) move() {
	l.search.Result(&l.result)
	ply := len(l.episode.Actions)
	if l.full {
		sample := newSample(ply, l.job.Game.Spec().Players, &l.result)
		l.episode.Samples = append(l.episode.Samples, sample)
		l.decided = l.streak.add(sample.Value) && !l.episode.NoResign
	}
	a := l.result.Best
	if ply < l.job.Config.TemperaturePlies {
		a = l.sample()
	}
	l.episode.Actions = append(l.episode.Actions, a)
	l.budget()
	l.search.Advance(a)
}

// sample draws an action from the search's policy.
func (l *lane) sample() env.Action {
	l.weights = l.weights[:0]
	total := 0.0
	for _, p := range l.result.Policy {
		weight := math.Pow(float64(p), 1/l.job.Config.Temperature)
		l.weights = append(l.weights, weight)
		total += weight
	}
	at := l.moves.Float64() * total
	for i, weight := range l.weights {
		if at < weight {
			return l.result.Actions[i]
		}
		at -= weight
	}
	return l.result.Best // only where rounding has used up the total
}

// end returns the finished game.
func (l *lane) end() Episode {
	s := l.search.State()
	over := false
	if l.episode.Result, over = s.Result(); !over {
		l.episode.Result, l.episode.Ending = env.WinFor(l.streak.seat, l.job.Game.Spec().Players), Resignation
		return l.episode
	}
	if e, ok := s.(env.Ender); ok {
		l.episode.Ending = e.Ending()
	}
	return l.episode
}
