package cluster

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"tiro/selfplay"
)

// source is where a player gets games from, and where it delivers them.
type source interface {
	// ask asks for games and says which ones are held.
	ask(ctx context.Context, q request) (reply, error)
	// deliver returns nil once the game is where it outlives this process. It may be
	// called again for the same delivery.
	deliver(ctx context.Context, p *delivery) error
}

// delivery is a finished game that is to be delivered.
type delivery struct {
	game
	id string // of its message, once there is one
}

// Times of a player.
const (
	retryAsk     = time.Second            // after an error
	retryIdle    = 250 * time.Millisecond // when there was no game for it
	retryOther   = time.Second            // when something else is played, which is about to be announced
	maxAskEvery  = 5 * time.Second        // to show that it is there
	askTimeout   = 3 * time.Second
	stuck        = 2               // failed deliveries, after which others may play these games
	releaseLimit = 5 * time.Second // for what is still to be sent when it is stopped
)

// errPaused says that no games of the announcement are played now. That may change: what
// is played instead need never be announced.
var errPaused = errors.New("no games are played now")

// player plays games of one announcement for as long as it gets some.
type player struct {
	source
	id      string
	lease   time.Duration
	workers int
	fill    func(q *request) // sets what does not depend on the games

	mu     sync.Mutex
	held   map[int]bool  // leased and not finished
	outbox []*delivery   // finished and not delivered
	sent   []int         // delivered since the last answer
	games  int           // delivered in all
	failed int           // times that the next delivery has failed
	ended  chan struct{} // a game has finished; holds one

	delivered chan struct{} // something is in the outbox; holds one
	stats     selfplay.Stats
}

// play plays until ctx ends, which delivers what has finished unless the cause is
// errReplaced, or no games are played any more.
func (p *player) play(ctx context.Context, w work) error {
	p.held, p.ended, p.delivered = map[int]bool{}, make(chan struct{}, 1), make(chan struct{}, 1)
	most := p.workers * w.atOnce()
	first, err := p.first(ctx, most)
	if err != nil {
		return err
	}
	// With too many slots a worker would begin all its games at once and end early.
	expected := min(most, max(first.Share, len(first.Granted)))
	inHand := expected + p.workers
	numbers := make(chan int, inHand+most)
	p.take(numbers, first.Granted)

	during, over := context.WithCancelCause(ctx)
	defer over(nil)
	var wait sync.WaitGroup
	wait.Go(func() { over(p.keepAsking(during, inHand, numbers)) })
	wait.Go(func() { p.keepSending(during) })
	err = w.play(during, playing{min(p.workers, expected), expected, numbers, p.finished, &p.stats})
	over(err)
	wait.Wait()
	if cause := context.Cause(during); errors.Is(cause, errReplaced) || errors.Is(cause, errPaused) || errors.Is(cause, errDropped) {
		return cause
	}
	p.release(ctx)
	return cmp.Or(ctx.Err(), err)
}

// first asks until there are games.
func (p *player) first(ctx context.Context, want int) (reply, error) {
	for {
		r, err := p.say(ctx, want)
		wait := retryIdle
		switch {
		case errors.Is(err, errDropped):
			return r, err
		case err == nil && r.ID == p.id && len(r.Granted) > 0:
			return r, nil
		case err == nil && r.ID != p.id && r.ID != "":
			wait = retryOther
		}
		if err := pause(ctx, wait); err != nil {
			return r, err
		}
	}
}

// keepAsking asks for games until they are over. It never returns nil.
func (p *player) keepAsking(ctx context.Context, inHand int, numbers chan<- int) error {
	every := min(maxAskEvery, p.lease/4)
	for {
		want := inHand - p.holding()
		r, err := p.say(ctx, want)
		wait := every
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errDropped):
			return err
		case err != nil:
			wait = min(retryAsk, every)
		case r.ID != p.id:
			return errPaused
		default:
			p.take(numbers, r.Granted)
			if want > 0 && len(r.Granted) == 0 {
				wait = min(retryIdle, every)
			}
		}
		if err := p.rest(ctx, wait, err == nil); err != nil {
			return err
		}
	}
}

// rest waits for so long, or, if it may, until a game has finished.
func (p *player) rest(ctx context.Context, most time.Duration, wake bool) error {
	ended := p.ended
	if !wake {
		ended = nil
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// say tells the trainer what this player holds, and asks for more games.
func (p *player) say(ctx context.Context, want int) (reply, error) {
	p.mu.Lock()
	q := request{Workers: p.workers, ID: p.id, Want: max(0, want), Sent: slices.Clone(p.sent)}
	q.Held = slices.AppendSeq(q.Held, maps.Keys(p.held))
	if p.failed < stuck {
		for _, delivery := range p.outbox {
			q.Held = append(q.Held, delivery.number())
		}
	} else {
		q.Want = 0
	}
	p.mu.Unlock()
	slices.Sort(q.Held)
	p.fill(&q)
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	r, err := p.ask(ctx, q)
	if err == nil {
		p.mu.Lock()
		p.sent = slices.Delete(p.sent, 0, len(q.Sent))
		p.mu.Unlock()
	}
	return r, err
}

// take passes games on to the searches.
func (p *player) take(numbers chan<- int, games []int) {
	for _, g := range games {
		p.mu.Lock()
		known := p.held[g]
		p.held[g] = true
		p.mu.Unlock()
		if known {
			continue
		}
		select {
		case numbers <- g:
		default: // more than was asked for
			p.mu.Lock()
			delete(p.held, g)
			p.mu.Unlock()
		}
	}
}

// holding returns how many games are held and not finished.
func (p *player) holding() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held)
}

// finished takes a game that has ended.
func (p *player) finished(g game) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, g.number())
	p.outbox = append(p.outbox, &delivery{game: g})
	signal(p.ended)
	signal(p.delivered)
	return nil
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// keepSending delivers games until ctx ends.
func (p *player) keepSending(ctx context.Context) {
	for {
		select {
		case <-p.delivered:
		case <-ctx.Done():
			return
		}
		for left := 1; left > 0; {
			var err error
			if left, err = p.send(ctx); err != nil && pause(ctx, retryAsk) != nil {
				return
			}
		}
	}
}

// send delivers the next game, if there is one, and returns how many are left.
func (p *player) send(ctx context.Context) (left int, err error) {
	p.mu.Lock()
	if len(p.outbox) == 0 {
		p.mu.Unlock()
		return 0, nil
	}
	next := p.outbox[0]
	p.mu.Unlock()
	err = p.deliver(ctx, next)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.failed++
		return len(p.outbox), err
	}
	p.failed = 0
	p.outbox = p.outbox[1:]
	p.sent = append(p.sent, next.number())
	p.games++
	return len(p.outbox), nil
}

// release delivers what has finished and gives the other games back, so that nobody
// has to wait until they expire.
func (p *player) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	for left := 1; left > 0; {
		var err error
		if left, err = p.send(ctx); err != nil {
			break
		}
	}
	p.mu.Lock()
	clear(p.held)
	p.mu.Unlock()
	_, _ = p.say(ctx, 0) // if it does not arrive, the games expire
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
