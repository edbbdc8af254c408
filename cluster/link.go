package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// link is a trainer's connection to its server, which it keeps up: what is missing at
// the server, because it is new or was wiped, is put there again.
type link struct {
	t      *Trainer
	server *natsServer // nil: it is not in this process
	cancel context.CancelFunc
	wait   sync.WaitGroup
	failed chan struct{} // closed when it cannot go on
	err    error         // why
}

// Times of a link.
const (
	checkEvery   = 2 * time.Second // looks whether all is still there
	callTimeout  = 5 * time.Second
	retryLink    = time.Second
	perMebibyte  = time.Second // more for each of an object
	nakDelay     = time.Second
	dedupeWindow = 10 * time.Minute
)

// Bounds of what the server keeps, in bytes.
const (
	maxEpisodes = 256 << 20
	maxBucket   = 1 << 20
)

// open starts the server, if it is to be in this process, and the link, once.
func (t *Trainer) open(ctx context.Context) error {
	if t.link != nil {
		return nil
	}
	l := &link{t: t, failed: make(chan struct{})}
	url := t.o.URL
	if t.o.Listen != "" {
		var err error
		if l.server, err = startServer(&t.o, t.keys); err != nil {
			return err
		}
		url = l.server.url()
		t.info("waiting for workers", "at", l.server.address(), "credentials", t.keys != nil)
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel = cancel
	t.link = l
	l.wait.Go(func() { l.run(own, url) })
	return nil
}

func (l *link) close() {
	l.cancel()
	l.wait.Wait()
	if l.server != nil {
		l.server.stop()
	}
}

// run keeps the link up until ctx ends.
func (l *link) run(ctx context.Context, url string) {
	t := l.t
	lost := lastError{}
	c := client{url: url, name: "tiro trainer", credentials: t.keys.trainerLogin(), clock: t.o.Clock}
	c.lost = func(err error) {
		if lost.text == "" && lost.changes(err) {
			t.warn("no connection to the server; trying again", "reason", err)
		}
	}
	c.connected = func() { lost.changes(nil); signal(t.changed); t.info("connected to the server") }
	nc, err := c.connect()
	if err != nil {
		l.fail(err)
		return
	}
	defer nc.Close()
	if err := l.serve(ctx, nc); err != nil && ctx.Err() == nil {
		l.fail(err)
	}
}

func (l *link) fail(err error) {
	l.err = err
	close(l.failed)
}

// serve answers workers and takes their games until ctx ends.
func (l *link) serve(ctx context.Context, nc *nats.Conn) error {
	t := l.t
	presence, err := l.claim(ctx, nc)
	if err != nil {
		return err
	}
	defer func() { _ = presence.Unsubscribe() }()
	leases, err := nc.Subscribe(leasePrefix+"*", func(m *nats.Msg) { t.request(m) })
	if err != nil {
		return err
	}
	defer func() { _ = leases.Unsubscribe() }()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(callTimeout))
	if err != nil {
		return err
	}
	c := &channel{link: l, js: js, fault: lastError{}}
	defer c.stop()
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		err := c.check(ctx)
		if c.fault.changes(err) && ctx.Err() == nil {
			if err != nil {
				t.warn("the server does not do what is asked; trying again", "reason", err)
			} else {
				t.info("the server works again")
			}
		}
		if l.server != nil && ctx.Err() == nil {
			l.server.heal(err == nil)
		}
		if nc.IsClosed() {
			return refusedBy(nc)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.changed:
		case <-ticker.C:
		}
	}
}

// claim says from now on that this trainer works at the server. It returns an error if
// another one does. Of two that come to an external server at the same time at most one
// stays, and perhaps neither.
func (l *link) claim(ctx context.Context, nc *nats.Conn) (*nats.Subscription, error) {
	for !nc.IsConnected() {
		if nc.IsClosed() {
			return nil, refusedBy(nc)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
	others, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return nil, err
	}
	defer func() { _ = others.Unsubscribe() }()
	session := []byte(nats.NewInbox())
	presence, err := nc.Subscribe(trainerSubject, func(m *nats.Msg) { _ = m.Respond(session) })
	if err != nil || l.server != nil { // others that come to our own server come later
		return presence, err
	}
	if err = nc.PublishRequest(trainerSubject, others.Subject, nil); err == nil {
		err = l.alone(ctx, others, session)
	}
	if err != nil {
		_ = presence.Unsubscribe()
	}
	return presence, err
}

// claimTime is how long others have to say that they work at the server.
const claimTime = 2 * time.Second

// alone returns an error if somebody but the session answers.
func (l *link) alone(ctx context.Context, answers *nats.Subscription, session []byte) error {
	asked, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	for {
		m, err := answers.NextMsgWithContext(asked)
		switch {
		case err == nil && !bytes.Equal(m.Data, session):
			return errors.New("another training, match or rating has its games played at this server; stop it first, or use another server")
		case err == nil:
		case asked.Err() != nil:
			return ctx.Err() // nobody else answers
		default:
			return err
		}
	}
}

// channel is what a link keeps at the server.
type channel struct {
	*link
	js      jetstream.JetStream
	kv      jetstream.KeyValue
	weights jetstream.ObjectStore
	consume jetstream.ConsumeContext
	put     string // announcement that was put last
	fault   lastError
}

func (c *channel) stop() {
	if c.consume != nil {
		c.consume.Stop()
		<-c.consume.Closed()
		c.consume = nil
	}
}

// check makes the server hold what it should, and takes games.
func (c *channel) check(ctx context.Context) error {
	t := c.t
	t.mu.Lock()
	k := t.current
	t.mu.Unlock()
	if c.kv == nil || c.consume == nil {
		if err := c.ensure(ctx); err != nil {
			return err
		}
	}
	err := c.announce(ctx, k)
	if err == nil {
		_, err = c.js.Consumer(ctx, episodesStream, consumerName)
	}
	if err == nil {
		_, err = c.js.Publish(ctx, probeSubject, make([]byte, probeBytes))
	}
	if err != nil { // the next check begins from nothing
		c.stop()
		c.kv = nil
	}
	return err
}

// probeBytes is about what a game takes.
const probeBytes = 4 << 10

// ensure makes the streams that are missing.
func (c *channel) ensure(ctx context.Context) (err error) {
	if c.server != nil { // if it is stopped while it makes one, that is never closed
		ctx = context.WithoutCancel(ctx)
	}
	replicas := max(1, c.t.o.Replicas)
	c.stop()
	_, err = c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: episodesStream, Subjects: []string{episodePrefix + "*.*"}, Description: "games that the trainer has not taken yet",
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxBytes: maxEpisodes, MaxMsgSize: maxMessage,
		Duplicates: dedupeWindow, MaxConsumers: 1, Replicas: replicas,
	})
	if err != nil {
		return fmt.Errorf("stream of episodes: %w", err)
	}
	c.kv, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucket, Description: "what is to be played", MaxValueSize: maxAnnouncement, MaxBytes: maxBucket, Replicas: replicas,
	})
	if err != nil {
		return fmt.Errorf("key-value bucket: %w", err)
	}
	c.weights, err = c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: weightsStore, Description: "networks", Replicas: replicas,
	})
	if err != nil {
		return fmt.Errorf("object store: %w", err)
	}
	consumer, err := c.js.CreateOrUpdateConsumer(ctx, episodesStream, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: 30 * time.Second, MaxAckPending: 256,
	})
	if err == nil {
		c.consume, err = consumer.Consume(c.take, jetstream.PullMaxMessages(64))
	}
	if err != nil {
		return fmt.Errorf("consumer of episodes: %w", err)
	}
	return nil
}

// take takes the message of a game. It is acknowledged when the game is in the
// trainer's files, or refused.
func (c *channel) take(m jetstream.Msg) {
	if m.Subject() == probeSubject || c.t.episode(m.Subject(), m.Data()) {
		_ = m.Ack() // else it comes again, and is a duplicate
	} else {
		_ = m.NakWithDelay(nakDelay)
	}
}

// announce puts the weights and the announcement of a task, if they are not
// there.
func (c *channel) announce(ctx context.Context, k *task) error {
	if k == nil {
		return nil
	}
	entry, err := c.kv.Get(ctx, announcedKey)
	if err == nil && bytes.Equal(entry.Value(), k.data) && c.put == k.id {
		return nil
	}
	if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	if err := c.putObjects(ctx, k); err != nil {
		return fmt.Errorf("object store: %w", err)
	}
	if _, err := c.kv.Put(ctx, announcedKey, k.data); err != nil {
		return fmt.Errorf("announcement: %w", err)
	}
	c.put = k.id
	return nil
}

// putObjects puts the networks and the start positions of a task, unless they are
// there, and removes all others.
func (c *channel) putObjects(ctx context.Context, k *task) error {
	want, err := k.objects()
	if err != nil {
		return err
	}
	listing, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	all, err := c.weights.List(listing)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return err
	}
	for _, o := range all {
		if want[o.Name] != nil {
			delete(want, o.Name)
		} else if err := c.weights.Delete(ctx, o.Name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		data, err := want[name]()
		if err == nil {
			err = c.putObject(ctx, name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *channel) putObject(ctx context.Context, name string, data []byte) error {
	ctx, cancel := objectContext(ctx, uint64(len(data)))
	defer cancel()
	_, err := c.weights.PutBytes(ctx, name, data)
	return err
}

// objectContext returns the context in which an object of so many bytes is put or
// fetched.
func objectContext(ctx context.Context, bytes uint64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, callTimeout+time.Duration(bytes>>20)*perMebibyte)
}

// lastError is the text of an error that was told, so that it is told only once.
type lastError struct{ text string }

// changes reports whether err is another one than the last time.
func (e *lastError) changes(err error) bool {
	text := ""
	if err != nil {
		text = err.Error()
	}
	changed := text != e.text
	e.text = text
	return changed
}
