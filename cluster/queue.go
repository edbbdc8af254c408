package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names at JetStream.
const (
	gamesStream  = "TIRO_GAMES"
	queuePrefix  = "tiro.queue." // + announcement.number
	consumerName = "players"
)

// Sizes of a queue.
const (
	queueChunk  = 2048 // games published at once
	pullAtOnce  = 256
	queueBytes  = 8 << 20
	callTimeout = 5 * time.Second
)

// queue is the games of a task as messages of a work-queue stream. JetStream delivers a
// message that was pulled again unless it is acknowledged or kept in progress. The stream is
// in memory: games that it loses are published again.
type queue struct {
	js   jetstream.JetStream
	wait time.Duration // until a message is delivered again

	stream   jetstream.Stream
	consumer jetstream.Consumer
	id       string // announcement; empty: not ready
	next     int    // games below it were published, or were done
}

// queued is a game that was pulled.
type queued struct {
	number  int
	message jetstream.Msg
}

// check makes the queue hold the games of a task, also after the server has lost some.
func (q *queue) check(ctx context.Context, k *task) (err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if q.id == k.id {
		info, err := q.stream.Info(ctx)
		if err == nil && int(info.State.Msgs) >= k.missing(q.next) || err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	q.id, q.next = "", 0
	config := jetstream.StreamConfig{
		Name: gamesStream, Subjects: []string{queuePrefix + "*.*"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
		Discard: jetstream.DiscardNew, MaxBytes: queueBytes, MaxConsumers: 1,
	}
	for _, config.Replicas = range []int{3, 1} { // one if there are fewer servers
		q.stream, err = q.js.CreateOrUpdateStream(ctx, config)
		if _, refused := errors.AsType[*jetstream.APIError](err); !refused {
			break
		}
	}
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return fmt.Errorf("JetStream is off at the server, or for this account; start it with JetStream (nats-server -js): %w", err)
	}
	if err == nil {
		q.consumer, err = q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.wait, MaxDeliver: -1, MaxAckPending: -1,
		})
	}
	if err == nil {
		err = q.stream.Purge(ctx)
	}
	if err == nil {
		q.id = k.id
		err = q.fill(ctx, k)
	}
	return err
}

// fill publishes more games. If the server does not store one, check finds a game missing.
func (q *queue) fill(ctx context.Context, k *task) error {
	for n := 0; q.next < k.size() && n < queueChunk; q.next++ {
		if k.isDone(q.next) {
			continue
		}
		if _, err := q.js.PublishAsync(queuePrefix+k.id+"."+strconv.Itoa(q.next), nil); err != nil {
			return err
		}
		n++
	}
	select {
	case <-q.js.PublishAsyncComplete():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pull returns up to n games of the task. If none are available, it publishes more.
func (q *queue) pull(k *task, n int) (found []queued, err error) {
	if q.id != k.id {
		return nil, errors.New("the games are not in the queue yet")
	}
	batch, err := q.consumer.FetchNoWait(min(n, pullAtOnce))
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		text, ok := strings.CutPrefix(m.Subject(), queuePrefix+q.id+".")
		if number, err := strconv.Atoi(text); ok && err == nil && number >= 0 && number < k.size() {
			found = append(found, queued{number, m})
		} else {
			_ = m.Ack()
		}
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) || len(found) > 0 {
		return found, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return nil, q.fill(ctx, k)
}
