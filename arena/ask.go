package arena

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"tiro/env"
	"tiro/mcts"
	"tiro/player"
)

// EngineUnderTest answers questions about positions, each by a search of its own: those of
// exams and of analyses.
type EngineUnderTest struct {
	Search    mcts.Config           // with 0 Simulations the evaluator alone answers
	Evaluator func() mcts.Evaluator // makes the evaluator of a worker
	Workers   int                   // goroutines; they change nothing but the time
	Answered  func()                // called after each answer, by several goroutines; may be nil
}

// Asked is a position of which an engine is asked, in which there is a move to be chosen.
type Asked struct {
	Number      int // tells it from others
	State       env.State
	Simulations int // 0: those of the engine, of which there may be none

	// Dropped, if set, reports that the answer is no longer wanted. It may be called at
	// any time.
	Dropped func() bool
}

// Finding is what an engine makes of a position.
type Finding struct {
	Alone    Opinion // of the evaluator alone
	Searched Opinion // after the search; the same as Alone if there is none

	search *mcts.Search
	result *mcts.Result
}

// Analysis returns what the search has found, lines included; without a search, all legal
// actions by their priors, each with the value of the position. It is valid as long as the
// Finding.
func (f *Finding) Analysis() player.Analysis {
	if f.search == nil {
		return f.Alone.analysis()
	}
	nodes := 0
	for _, n := range f.result.Visits {
		nodes += int(n)
	}
	return player.AnalysisOf(f.search, f.result, nodes)
}

// Opinion says what to play in a position, and what to expect.
type Opinion struct {
	Action  env.Action   // to be played; of a policy alone the likeliest, of several the lowest
	Actions []env.Action // the legal ones, ascending
	Policy  []float32    // [Actions] improved by the search; sums to 1
	Value   env.Value    // expected payoff by seat: mcts.Result.Value
}

// Grader is told what an engine makes of position i, nil if its answer is no longer
// wanted. It must not keep f or its slices. After an error no more positions are searched.
type Grader func(ctx context.Context, i int, f *Finding) error

// Ask has the engine search every one of states, positions of game in which there is a
// move to be chosen, and tells graders of it in no particular order. Each worker has
// a grader of its own. If ctx ends, or the evaluator or a grader fails, Ask
// returns the error wrapped.
func (e EngineUnderTest) Ask(ctx context.Context, game env.Game, states []env.State, grader func() Grader) error {
	e.Workers = min(e.Workers, max(len(states), 1))
	var last atomic.Int64
	next := func(context.Context, bool) (q Asked, ok bool) {
		number := int(last.Add(1)) - 1
		if number >= len(states) {
			return q, false
		}
		return Asked{Number: number, State: states[number]}, true
	}
	return e.ask(ctx, game, next, grader)
}

// AskEach is Ask for positions that come one by one, until the channel is closed. A
// worker searches up to 32 of them at a time, in batches that they share.
func (e EngineUnderTest) AskEach(ctx context.Context, game env.Game, questions <-chan Asked, grader func() Grader) error {
	next := func(ctx context.Context, wait bool) (q Asked, ok bool) {
		if wait {
			select {
			case q, ok = <-questions:
			case <-ctx.Done():
			}
			return q, ok
		}
		select {
		case q, ok = <-questions:
		default:
		}
		return q, ok
	}
	return e.ask(ctx, game, next, grader)
}

// ask asks about the positions that next returns, until it has none though the worker
// would wait for it.
func (e EngineUnderTest) ask(ctx context.Context, game env.Game, next func(ctx context.Context, wait bool) (Asked, bool), grader func() Grader) error {
	alone := e.Search.Simulations == 0
	if alone {
		e.Search.Simulations = 1
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	for range max(e.Workers, 1) {
		workers.Go(func() {
			w := asker{game: game, engine: e, alone: alone, grade: grader(), next: next}
			if err := w.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("arena: ask an engine: %w", err)
	}
	return nil
}

const (
	askedAtOnce = 32      // questions that a worker searches at a time, so that batches are full
	askerCache  = 1 << 16 // positions in a worker's cache: about those of the searches under way
)

// asker asks about positions on one goroutine.
type asker struct {
	game   env.Game
	engine EngineUnderTest
	alone  bool // the evaluator alone answers
	grade  Grader
	next   func(ctx context.Context, wait bool) (Asked, bool) // for all workers

	slots  [askedAtOnce]askerSlot
	result mcts.Result
}

// askerSlot is the search of one question.
type askerSlot struct {
	search   *mcts.Search
	finding  Finding
	question Asked
	from, to int // its leaves in the batch
	busy     bool
	fresh    bool // the question's own position has not been evaluated
}

// run asks about positions until there are no more.
func (w *asker) run(ctx context.Context) error {
	evaluator := mcts.NewCache(w.engine.Evaluator(), askerCache)
	var leaves []*mcts.Leaf
	for ctx.Err() == nil {
		leaves = leaves[:0]
		busy := false
		for i := range w.slots {
			slot := &w.slots[i]
			if err := w.fill(ctx, slot, !busy && i == len(w.slots)-1); err != nil {
				return err
			}
			slot.from = len(leaves)
			if slot.busy {
				busy = true
				leaves = slot.search.Gather(leaves, math.MaxInt)
			}
			slot.to = len(leaves)
		}
		if !busy {
			return nil
		}
		if err := evaluator.Evaluate(ctx, leaves); err != nil {
			return err
		}
		for i := range w.slots {
			if slot := &w.slots[i]; slot.busy {
				if err := w.apply(ctx, slot, leaves[slot.from:slot.to]); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// fill gives the next question to a slot that has none. It may wait for one.
func (w *asker) fill(ctx context.Context, slot *askerSlot, wait bool) (err error) {
	if slot.busy {
		return nil
	}
	q, ok := w.next(ctx, wait)
	if !ok {
		return nil
	}
	if slot.search == nil {
		if slot.search, err = mcts.New(w.game, w.engine.Search); err != nil {
			return err
		}
	}
	slot.search.SetSimulations(cmp.Or(q.Simulations, w.engine.Search.Simulations))
	slot.search.Start(q.State, nil)
	slot.question, slot.busy, slot.fresh = q, true, true
	return nil
}

// apply gives evaluated leaves back to the search of a slot and has the finding
// graded when it is done.
func (w *asker) apply(ctx context.Context, slot *askerSlot, leaves []*mcts.Leaf) error {
	f := &slot.finding
	if slot.fresh && len(leaves) > 0 {
		f.Alone.ofLeaf(leaves[0])
		slot.fresh = false
	}
	slot.search.Apply(leaves)
	dropped := slot.question.Dropped != nil && slot.question.Dropped()
	switch {
	case dropped:
		f = nil
	case w.alone && slot.question.Simulations == 0:
		f.Searched, f.search = f.Alone, nil
	case slot.search.Done():
		slot.search.Result(&w.result)
		f.search, f.result = slot.search, &w.result
		f.Searched.ofSearch(&w.result)
	default:
		return nil
	}
	slot.busy = false
	if err := w.grade(ctx, slot.question.Number, f); err != nil {
		return err
	}
	if w.engine.Answered != nil {
		w.engine.Answered()
	}
	return nil
}

// analysis returns o, the opinion of an evaluator alone, as an Analysis.
func (o *Opinion) analysis() player.Analysis {
	a := player.Analysis{Value: o.Value}
	for i, action := range o.Actions {
		a.Lines = append(a.Lines, player.Line{Actions: []env.Action{action}, Value: o.Value, Prior: o.Policy[i]})
	}
	slices.SortStableFunc(a.Lines, func(x, y player.Line) int { return cmp.Compare(y.Prior, x.Prior) })
	return a
}

// ofLeaf makes o the evaluator's opinion.
func (o *Opinion) ofLeaf(leaf *mcts.Leaf) {
	o.Actions, o.Policy = append(o.Actions[:0], leaf.Legal...), append(o.Policy[:0], leaf.Prior...)
	best := 0
	for i, p := range leaf.Prior {
		if p > leaf.Prior[best] {
			best = i
		}
	}
	o.Action = leaf.Legal[best]
	o.Value = leaf.Value
}

// ofSearch makes o the opinion of a search with result r.
func (o *Opinion) ofSearch(r *mcts.Result) {
	o.Action, o.Value = r.Best, r.Value
	o.Actions, o.Policy = append(o.Actions[:0], r.Actions...), append(o.Policy[:0], r.Policy...)
}
