package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// link is a trainer's connection to its server, which it keeps up.
type link struct {
	t      *Trainer
	server *natsServer // nil: it is not in this process
	cancel context.CancelFunc
	wait   sync.WaitGroup
	failed chan struct{} // closed when it cannot go on
	err    error         // why
	once   sync.Once     // of these
	fault  lastError

	mu    sync.Mutex
	nc    *nats.Conn // nil: it has not been connected
	queue *queue     // likewise; it belongs to who holds Trainer.granting
}

// Times and bounds of a link.
const (
	checkEvery   = 2 * time.Second // looks whether all is still there
	maxPending   = 32 << 20        // bytes of messages that wait to be taken, of each kind
	maxWaiting   = 16 << 10        // these messages
	mostOfWorker = 64              // connections
)

// open starts the server and the workers that are to be in this process, and the link,
// once, and puts the games of the current task into the queue.
func (t *Trainer) open(ctx context.Context) error {
	if t.link != nil {
		t.link.check(ctx)
		t.link.news()
		return nil
	}
	l := &link{t: t, failed: make(chan struct{})}
	c := client{url: t.o.URL, name: trainerConnection, credentials: t.keys.trainerLogin()}
	if t.o.Listen != "" {
		var err error
		if l.server, err = startServer(&t.o, t.keys); err != nil {
			return err
		}
		c.server = l.server
		t.info("waiting for workers", "at", l.server.address(), "credentials", t.keys != nil)
	}
	lost := lastError{}
	c.lost = func(err error) {
		if lost.text == "" && lost.changes(err) {
			t.warn("no connection to the server; trying again", "reason", err)
		}
	}
	c.connected = func() { lost.changes(nil) }
	var err error
	if l.nc, err = c.connect(); err != nil {
		return err
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel, t.link, t.pull = cancel, l, l.pull
	l.wait.Go(func() { l.end(own, l.serve(own)) })
	if t.o.Workers > 0 {
		o := WorkerOptions{
			URL: t.o.URL, server: l.server, Credentials: t.keys.trainerLogin(), Name: trainerName, Workers: t.o.Workers, Memory: math.MaxInt64 / 2,
			Backend: t.o.Backend, Version: t.o.Version, Find: t.o.Find, CPU: t.o.CPU, Warn: t.warn,
		}
		l.wait.Go(func() { l.end(own, Work(own, o)) })
	}
	return nil
}

// end notes that the link cannot go on, unless it is not to.
func (l *link) end(ctx context.Context, err error) {
	if ctx.Err() == nil && err != nil {
		l.once.Do(func() { l.err = err; close(l.failed) })
	}
}

func (l *link) close() {
	l.cancel()
	l.wait.Wait()
	l.nc.Close()
	if l.server != nil {
		l.server.stop()
	}
}

// news tells workers that something has changed.
func (l *link) news() { _ = l.nc.Publish(newsSubject, nil) }

// serve answers workers until ctx ends.
func (l *link) serve(ctx context.Context) error {
	presence, err := l.claim(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = presence.Unsubscribe() }()
	js, err := jetstream.New(l.nc, jetstream.WithDefaultTimeout(callTimeout))
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.queue = &queue{js: js, replicas: l.t.o.Replicas, wait: l.t.o.Lease}
	l.mu.Unlock()
	l.check(ctx)
	for subject, answer := range map[string]nats.MsgHandler{
		askPrefix + "*": l.answers(askPrefix, func(parts []string, process string, data []byte) []byte {
			return l.ask(ctx, parts[0], process, data)
		}),
		gamePrefix + "*.*.*":    l.answers(gamePrefix, l.game),
		networkPrefix + "*.*.*": l.answers(networkPrefix, l.network),
	} {
		s, err := l.nc.Subscribe(subject, answer)
		if err == nil {
			err = s.SetPendingLimits(maxWaiting, maxPending)
		}
		if err != nil {
			return err
		}
		defer func() { _ = s.Unsubscribe() }()
	}
	l.news()
	for {
		if l.nc.IsClosed() {
			return refusedBy(l.nc)
		}
		if err := pause(ctx, checkEvery); err != nil {
			return err
		}
		l.check(ctx)
		if l.server != nil {
			l.server.limitConnections(mostOfWorker)
		}
	}
}

// check makes the queue hold what it should.
func (l *link) check(ctx context.Context) {
	t := l.t
	t.granting.Lock()
	defer t.granting.Unlock()
	t.mu.Lock()
	k := t.current
	t.mu.Unlock()
	q := l.queued()
	if k == nil || q == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := q.check(ctx, k)
	if !l.fault.changes(err) || errors.Is(err, context.Canceled) {
		return
	}
	if err != nil {
		t.warn("the server does not do what is asked; trying again", "reason", err)
	} else {
		t.info("the server works again")
	}
}

func (l *link) queued() *queue {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue
}

// pull returns up to n games of a task.
func (l *link) pull(ctx context.Context, k *task, n int) ([]queued, error) {
	q := l.queued()
	if q == nil || !l.nc.IsConnected() {
		return nil, nats.ErrDisconnected
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return q.pull(ctx, k, n)
}

// answers returns what answers the messages whose subjects begin with a prefix: given what
// follows in the subject, of which the first part is the name of a worker, that worker's
// process, and the data. There is no answer unless it goes to that worker, nor from a trainer
// that has left.
func (l *link) answers(prefix string, answer func(parts []string, process string, data []byte) []byte) nats.MsgHandler {
	return func(m *nats.Msg) {
		parts := strings.Split(strings.TrimPrefix(m.Subject, prefix), ".")
		process, ok := processOf(parts[0], m.Reply)
		l.t.mu.Lock()
		ok = ok && !l.t.away
		l.t.mu.Unlock()
		if ok {
			_ = m.Respond(answer(parts, process, m.Data)) // who does not hear it asks again
		}
	}
}

// ask answers a worker that asks.
func (l *link) ask(ctx context.Context, name, process string, data []byte) []byte {
	var q request
	r := reply{Granted: []int{}, EveryMilli: int(mostSilent.Milliseconds())}
	if err := decodeMessage(data, maxAsk, &q); err != nil {
		l.t.mu.Lock()
		l.t.once("a message cannot be read", name, err.Error())
		l.t.mu.Unlock()
		r.Refused = clip(err.Error())
	} else {
		r = l.t.answer(ctx, name, process, &q)
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it holds numbers and texts
	}
	return text
}

// Answers to a game.
const (
	answerTaken   = "taken"   // or not wanted any more
	answerLater   = "later"   // nothing is taken now
	answerRefused = "refused" // it is not a game
)

// game takes a game.
func (l *link) game(parts []string, process string, data []byte) []byte {
	switch err := l.t.result(parts[0], process, parts[1], data); {
	case errors.Is(err, errOver):
		return []byte(answerLater)
	case err != nil:
		return []byte(answerRefused)
	}
	return []byte(answerTaken)
}

// network returns a piece of a network, nothing if there is none.
func (l *link) network(parts []string, _ string, _ []byte) []byte {
	offset, err := strconv.Atoi(parts[2])
	if err != nil {
		return nil
	}
	data, err := l.t.network(parts[1])
	if err != nil {
		return nil
	}
	return pieceOf(data, offset)
}

// claim says from now on that this trainer works at the server. It returns an error if
// another one does.
func (l *link) claim(ctx context.Context) (*nats.Subscription, error) {
	const most = time.Second // that others have to say so
	for !l.nc.IsConnected() {
		if l.nc.IsClosed() {
			return nil, refusedBy(l.nc)
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
	if l.server == nil { // others that come to our own server come later
		_, err := l.nc.Request(trainerSubject, nil, most)
		if err == nil || errors.Is(l.nc.LastError(), nats.ErrPermissionViolation) { // its own server takes workers only
			return nil, errors.New("another training, match or rating has its games played at this server; stop it first, or use another server")
		}
	}
	return l.nc.Subscribe(trainerSubject, func(m *nats.Msg) { _ = m.Respond(nil) })
}
