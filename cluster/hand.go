package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// hand is the games of one announcement that a process has: those that it plays, and those
// that it has still to send.
type hand struct {
	workers int      // goroutines
	most    int      // games that it may have
	numbers chan int // of games to begin
	send    chan game
	wake    chan struct{} // something has changed that the trainer should know; holds one

	mu      sync.Mutex
	playing map[int]bool
	unsent  map[int]bool
	played  int // games that have finished
}

// maxHand bounds the games in a hand, whatever is announced: a request lists them.
const maxHand = 1 << 14

// newHand returns the hand of goroutines that play up to atOnce games each. One more for
// each goroutine waits, so that nobody has to wait for the trainer.
func newHand(workers, atOnce int, wake chan struct{}) *hand {
	most := min(workers*(atOnce+1), maxHand)
	return &hand{
		workers: workers, most: most, numbers: make(chan int, most), send: make(chan game, most),
		wake: wake, playing: map[int]bool{}, unsent: map[int]bool{},
	}
}

// describe sets what a request says of the hand.
func (h *hand) describe(q *request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q.Held = slices.Sorted(maps.Keys(h.playing))
	q.Held = slices.AppendSeq(q.Held, maps.Keys(h.unsent))
	q.Want = max(0, h.most-len(q.Held))
}

// heed takes the games that a reply grants, and forgets those that are over.
func (h *hand) heed(r *reply) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range r.Over {
		delete(h.playing, n)
	}
	for _, n := range r.Granted {
		if h.playing[n] || h.unsent[n] {
			continue
		}
		select {
		case h.numbers <- n:
			h.playing[n] = true
		default: // more than was asked for
		}
	}
}

// inHand returns how many games are to be begun or are being played.
func (h *hand) inHand() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.playing)
}

// unwanted reports whether a game need not be played on.
func (h *hand) unwanted(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.playing[n]
}

// finished takes the message of a game that has ended.
func (h *hand) finished(n int, message []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.playing[n] {
		delete(h.playing, n)
		h.unsent[n] = true
		h.played++
		h.send <- game{n, message} // never waits: there is room for all that it may have
	}
}

// game is a game that has ended.
type game struct {
	number  int
	message []byte
}

// Times of a hand.
const (
	senders   = 8           // games that are on their way at once
	retrySend = time.Second // after an error
	lastSend  = 800 * time.Millisecond
)

// play plays the games that come, and delivers them, until ctx ends. What has finished
// then has lastSend to be delivered, unless something else is to be played instead.
func (h *hand) play(ctx context.Context, w work, deliver func(context.Context, game) error) error {
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var wait sync.WaitGroup
	for range senders {
		wait.Go(func() { h.keepSending(sending, deliver) })
	}
	err := w.play(ctx, h)
	for deadline := time.Now().Add(lastSend); context.Cause(ctx) != errReplaced && h.waiting() && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	wait.Wait()
	return err
}

// waiting reports whether games have still to be sent.
func (h *hand) waiting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.unsent) > 0
}

func (h *hand) keepSending(ctx context.Context, deliver func(context.Context, game) error) {
	for {
		select {
		case g := <-h.send:
			for deliver(ctx, g) != nil {
				if pause(ctx, retrySend) != nil {
					return
				}
			}
			h.mu.Lock()
			delete(h.unsent, g.number)
			h.mu.Unlock()
			signal(h.wake)
		case <-ctx.Done():
			return
		}
	}
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
