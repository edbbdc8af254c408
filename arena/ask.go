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

// EngineUnderTest evaluates positions, each with a new search. Exams and analyses use it.
type EngineUnderTest struct {
	Search    mcts.Config           // with 0 Simulations the evaluator answers without a search
	Evaluator func() mcts.Evaluator // makes the evaluator of a worker
	Workers   int                   // number of goroutines, which affects the speed only
	Batch     int                   // see player.Network.Batch; if positive, there are deviceWorkers goroutines for each of Workers
	Answered  func()                // called after each answer, by several goroutines; may be nil
}

// Asked is a question: a position with at least one legal action.
type Asked struct {
	Number      int // identifies the question
	State       env.State
	Simulations int // 0 for EngineUnderTest.Search.Simulations, which may be 0

	// Dropped, if set, reports that the answer is no longer wanted. It may be called at
	// any time.
	Dropped func() bool
}

// Finding is the answer of an engine to a question.
type Finding struct {
	Alone    Opinion // evaluator without a search
	Searched Opinion // after the search; equal to Alone without one

	search *mcts.Search
	result *mcts.Result
}

// Analysis returns the result of the search with its lines. Without a search it returns all
// legal actions in the order of their priors, each with the value of the position. It is
// valid as long as f.
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

// Opinion is a move and an evaluation of a position.
type Opinion struct {
	Action  env.Action   // best action; without a search the likeliest, and the lowest of equals
	Actions []env.Action // legal actions, ascending
	Policy  []float32    // [Actions] probabilities, improved by the search; sums to 1
	Value   env.Value    // expected payoff by seat: mcts.Result.Value
}

// Grader receives the Finding of question i, nil if the question was dropped. It must not
// keep f or its slices. An error ends the search of further positions.
type Grader func(ctx context.Context, i int, f *Finding) error

// Ask lets the engine search all states, which must be positions of game with at least one
// legal action. It passes the findings to graders in no particular order; each worker has its
// own grader. If ctx ends, or the evaluator or a grader fails, Ask returns the error wrapped.
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

// AskEach is like Ask for questions from a channel, until the channel is closed. A worker
// searches up to askedAtOnce positions at a time, in shared batches.
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

// ask answers the questions that next returns. A worker ends when next has no question
// although wait is true.
func (e EngineUnderTest) ask(ctx context.Context, game env.Game, next func(ctx context.Context, wait bool) (Asked, bool), grader func() Grader) error {
	alone := e.Search.Simulations == 0
	if alone {
		e.Search.Simulations = 1
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	count := max(e.Workers, 1)
	if e.Batch > 0 {
		count *= deviceWorkers
	}
	for range count {
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
	askedAtOnce = 32      // questions that a worker searches at a time, enough for full batches
	askerCache  = 1 << 16 // positions in a worker's cache, about as many as in its current searches
)

// asker answers questions on one goroutine.
type asker struct {
	game   env.Game
	engine EngineUnderTest
	alone  bool // the evaluator answers without a search
	grade  Grader
	next   func(ctx context.Context, wait bool) (Asked, bool) // shared by all workers

	slots  [askedAtOnce]askerSlot
	result mcts.Result
}

// askerSlot is the search of one question.
type askerSlot struct {
	search   *mcts.Search
	finding  Finding
	question Asked
	from, to int // range of its leaves in the batch
	busy     bool
	fresh    bool // the question's own position has not been evaluated
}

// run answers questions until there are no more.
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

// fill gives the next question to slot if it is free. With wait, it waits for one.
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
	var only []env.Action // a forced move is searched as well
	if legal := q.State.Legal(nil); len(legal) == 1 {
		only = legal
	}
	slot.search.StartAmong(q.State, nil, only)
	slot.question, slot.busy, slot.fresh = q, true, true
	return nil
}

// apply returns evaluated leaves to the search of slot. When the search is done, it passes the
// finding to the grader.
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

// analysis converts o, an opinion without a search, to an Analysis.
func (o *Opinion) analysis() player.Analysis {
	a := player.Analysis{Value: o.Value}
	for i, action := range o.Actions {
		a.Lines = append(a.Lines, player.Line{Actions: []env.Action{action}, Value: o.Value, Prior: o.Policy[i]})
	}
	slices.SortStableFunc(a.Lines, func(x, y player.Line) int { return cmp.Compare(y.Prior, x.Prior) })
	return a
}

// ofLeaf sets o to the evaluator's opinion of leaf.
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

// ofSearch sets o to the result of a search.
func (o *Opinion) ofSearch(r *mcts.Result) {
	o.Action, o.Value = r.Best, r.Value
	o.Actions, o.Policy = append(o.Actions[:0], r.Actions...), append(o.Policy[:0], r.Policy...)
}
