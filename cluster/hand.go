package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// hand is the games of one announcement that a worker has: games that it plays or is about
// to begin, and games that it has still to send.
type hand struct {
	id     string // of the announcement
	wake   chan struct{}
	cancel context.CancelFunc
	ended  chan struct{} // closed once nothing is played

	// Set by deal.
	backend         string
	workers, atOnce int      // goroutines, and games that each may play at once
	size            int      // games of the announcement
	numbers         chan int // games to begin; nil before deal

	mu      sync.Mutex
	refused string // why nothing is played
	playing map[int]bool
	unsent  map[int][]byte // messages of finished games
}

// deal sets the number of games of the announcement, and how many the hand may have: atOnce for
// each goroutine, and one more for each, so that no goroutine waits for the trainer.
func (h *hand) deal(backend string, workers, atOnce, size int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.backend, h.workers, h.atOnce, h.size = backend, workers, max(1, min(atOnce, maxHand/workers-1)), size
	h.numbers = make(chan int, workers*(h.atOnce+1))
}

// describe adds the hand to a request, with as many finished games as fit. It returns the
// numbers of these.
func (h *hand) describe(q *request) (sent []int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q.ID, q.Refused = h.id, h.refused
	if h.numbers == nil || h.refused != "" {
		return nil
	}
	q.Backend = h.backend
	bytes := 0
	for n, message := range h.unsent {
		if bytes += len(message); bytes > maxGames && len(sent) > 0 {
			q.Held = append(q.Held, n)
			continue
		}
		q.Games = append(q.Games, message)
		sent = append(sent, n)
	}
	q.Held = slices.AppendSeq(q.Held, maps.Keys(h.playing))
	q.Want = max(0, cap(h.numbers)-len(q.Held))
	return sent
}

// heed forgets the games that were sent with a request, begins those that the reply grants,
// and ends those that are over. It reports whether there are more games to send.
func (h *hand) heed(r *reply, sent []int) (more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range sent {
		delete(h.unsent, n)
	}
	for _, n := range r.Over {
		delete(h.playing, n)
	}
	for _, n := range r.Granted {
		if n < 0 || n >= h.size || h.playing[n] || h.unsent[n] != nil {
			continue
		}
		select {
		case h.numbers <- n: // nil if the reply is wrong
			h.playing[n] = true
		default: // more than were requested
		}
	}
	return len(h.unsent) > 0
}

// refuse records why nothing is played.
func (h *hand) refuse(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = clip(why)
	signal(h.wake)
}

// inHand returns the number of games that are played or about to begin.
func (h *hand) inHand() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.playing)
}

// unwanted reports whether a game need not be finished.
func (h *hand) unwanted(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.playing[n]
}

// finished takes the message of a game that has ended.
func (h *hand) finished(n int, message []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(message) > maxGame {
		h.refused = fmt.Sprintf("game %d has %d bytes; the limit is %d", n, len(message), maxGame)
	} else if h.playing[n] {
		delete(h.playing, n)
		h.unsent[n] = message
		signal(h.wake)
	}
}

// stop ends all games and waits until nothing is played.
func (h *hand) stop() {
	h.cancel()
	<-h.ended
	clear(h.playing)
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
