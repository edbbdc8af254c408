package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"tiro/mcts"
	"tiro/player"
)

// worker plays games of a match on one goroutine, one in each of its slots. A slot is a
// coroutine: it runs until one of its players requests an evaluation from a network that the
// slots share. Once all slots wait, the network with the most requests evaluates them in one
// batch, which for small boards is much cheaper than single positions. Requests for the other
// networks keep waiting, and their batches grow. The result of a position does not depend on
// its batch, so neither do the games.
type worker struct {
	slots    []*slot
	networks []*sharedNetwork // one for each player with a network
	playing  int              // number of slots with a game
}

// newWorker returns a worker with the given number of slots. The caller must close it even on
// error.
func newWorker(m *Match, slots int) (*worker, error) {
	w := &worker{}
	for range slots {
		s, err := newSlot(m)
		w.slots = append(w.slots, s)
		if err != nil {
			return w, err
		}
	}
	if len(w.slots) > 1 {
		w.share()
	}
	return w, nil
}

// maxTrees is the maximum size of the search trees of a worker's concurrent games, in bytes.
const maxTrees = 256 << 20

// AtOnce returns the number of games that a worker plays at once, which does not affect the
// report. It is 1 if a player has a limit of time or is an io.Closer, or if no player has a
// network. Otherwise it is DefaultConcurrentGames, or deviceGames if a network is on a device,
// or fewer if their trees would exceed maxTrees.
func (m *Match) AtOnce() int {
	isNet := func(p player.Factory) bool { return p.Kind == player.Net }
	if slices.ContainsFunc(m.Players, player.Factory.Alone) || !slices.ContainsFunc(m.Players, isNet) {
		return 1
	}
	most := DefaultConcurrentGames
	if m.onDevice() {
		most = deviceGames
	}
	return min(cmp.Or(m.concurrent, most), int(max(1, maxTrees/(1+m.TreeBytes()))))
}

// TreeBytes estimates the memory of the search trees of one game, in bytes.
func (m *Match) TreeBytes() (trees int64) {
	for i, seats := range m.seatsOf() {
		trees += int64(seats) * m.Players[i].TreeBytes(m.Game)
	}
	return trees
}

// share makes the slots share one evaluator for each network player of the match.
func (w *worker) share() {
	for i, seats := range w.slots[0].players {
		searcher, ok := seats[0].(*player.Searcher)
		if !ok {
			continue
		}
		evaluator, ok := searcher.Shareable()
		if !ok {
			continue
		}
		network := &sharedNetwork{evaluator: evaluator(), watch: stopwatch{clock: w.slots[0].match.Clock}}
		w.networks = append(w.networks, network)
		for _, s := range w.slots {
			for _, seat := range s.players[i] {
				seat.(*player.Searcher).SetEvaluator(&sharedEvaluator{network, s})
			}
		}
	}
}

// play plays games until next returns none, as in Match.PlayNumbers. It passes each to done,
// with the fault if the game failed.
func (w *worker) play(ctx context.Context, next func(wait bool) (number int, ok bool), done func(r GameRecord, fault error)) {
	running := slices.Clone(w.slots)
	for _, s := range running {
		var stop func()
		s.resume, stop = iter.Pull(func(yield func(struct{}) bool) {
			s.wait = func() bool { return yield(struct{}{}) }
			for number, ok := next(w.playing == 0); ok; number, ok = next(w.playing == 0) {
				if number != NoneNow {
					w.playing++
					r, err := s.game(ctx, number)
					w.playing--
					done(r, err)
				} else if !s.wait() {
					return
				}
			}
		})
		defer stop()
	}
	for len(running) > 0 {
		running = slices.DeleteFunc(running, func(s *slot) bool {
			if s.waits {
				return false
			}
			_, more := s.resume()
			return !more
		})
		if len(w.networks) > 0 {
			slices.MaxFunc(w.networks, func(a, b *sharedNetwork) int { return cmp.Compare(len(a.requests), len(b.requests)) }).evaluate(ctx)
		}
	}
}

func (w *worker) close() error {
	var errs []error
	for _, s := range w.slots {
		for _, p := range slices.Concat(s.players...) {
			errs = append(errs, player.Close(p))
		}
	}
	return errors.Join(errs...)
}

// sharedNetwork evaluates positions of all slots of a worker with a player's network.
type sharedNetwork struct {
	evaluator mcts.Evaluator
	requests  []*request
	leaves    []*mcts.Leaf // leaves of all requests
	watch     stopwatch
}

// request is a request of one slot for evaluations.
type request struct {
	slot   *slot
	leaves []*mcts.Leaf
	part   float64 // the slot's fraction of the batch's time
	err    error
}

// evaluate answers all requests in one batch. If the batch fails, it evaluates each request
// alone, so that only the faulty game fails.
func (n *sharedNetwork) evaluate(ctx context.Context) {
	if len(n.requests) == 0 {
		return
	}
	n.leaves = n.leaves[:0]
	for _, r := range n.requests {
		n.leaves = append(n.leaves, r.leaves...)
	}
	n.watch.reset()
	err := n.evaluator.Evaluate(ctx, n.leaves)
	n.watch.pause()
	for _, r := range n.requests {
		r.part = float64(len(r.leaves)) / float64(len(n.leaves))
		if err != nil {
			r.err = n.evaluator.Evaluate(ctx, r.leaves)
		}
		r.slot.waits = false
	}
	n.requests = n.requests[:0]
}

// sharedEvaluator sends one slot's evaluations to a sharedNetwork.
type sharedEvaluator struct {
	network *sharedNetwork
	slot    *slot
}

// errStopped is the error of a search after its worker has stopped.
var errStopped = errors.New("the match has stopped")

// Evaluate implements mcts.Evaluator. It lets the other slots run until the answer arrives.
func (e *sharedEvaluator) Evaluate(_ context.Context, leaves []*mcts.Leaf) error {
	r := request{slot: e.slot, leaves: leaves}
	e.network.requests = append(e.network.requests, &r)
	e.slot.waits = true
	e.slot.watch.pause()
	if !e.slot.wait() {
		return fmt.Errorf("arena: evaluate: %w", errStopped)
	}
	e.slot.watch.resume()
	e.slot.watch.add(&e.network.watch, r.part)
	return r.err
}
