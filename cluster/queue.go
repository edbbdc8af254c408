package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names at JetStream, which only the trainer uses.
const (
	gamesStream  = "TIRO_GAMES"
	queuePrefix  = "tiro.queue." // + announcement.number
	consumerName = "players"
)

// Sizes of a queue.
const (
	queueChunk  = 2048 // games that are put at once
	pullAtOnce  = 256
	queueBytes  = 8 << 20
	callTimeout = 5 * time.Second
)

// queue is the games of a task that are to be played, as messages of a work-queue stream
// of JetStream. A message that was pulled is delivered again unless it is acknowledged
// (its game is there) or kept in progress (its worker is heard of). The stream is in
// memory: whatever it loses is put there again. A queue belongs to one goroutine at a time.
type queue struct {
	js       jetstream.JetStream
	replicas int
	wait     time.Duration // until a message that was pulled is delivered again

	stream   jetstream.Stream
	consumer jetstream.Consumer
	id       string // announcement whose games it holds; empty: none
	next     int    // games below have been put there, or were done
	epoch    string // part of the messages' IDs, by which JetStream drops those that are put twice
}

// reset makes the queue hold the first games of a task and no others.
func (q *queue) reset(ctx context.Context, k *task) error {
	q.id = ""
	if err := q.ensure(ctx); err != nil {
		return err
	}
	if err := q.stream.Purge(ctx); err != nil {
		return err
	}
	q.id, q.next, q.epoch = k.id, 0, rand.Text()
	_, err := q.fill(ctx, k)
	return err
}

// ensure makes the stream and its consumer.
func (q *queue) ensure(ctx context.Context) (err error) {
	q.stream, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: gamesStream, Subjects: []string{queuePrefix + "*.*"}, Description: "games that are to be played",
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage, Discard: jetstream.DiscardNew,
		MaxBytes: queueBytes, MaxMsgSize: 1 << 10, MaxConsumers: 1, Duplicates: time.Minute, Replicas: max(1, q.replicas),
	})
	if err != nil {
		return fmt.Errorf("stream of games: %w", explainedJetStream(err))
	}
	q.consumer, err = q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.wait, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		return fmt.Errorf("consumer of games: %w", err)
	}
	return nil
}

// explainedJetStream adds to an error what may be done about it.
func explainedJetStream(err error) error {
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return fmt.Errorf("JetStream is off at the server, or not for this account; start it with JetStream (nats-server -js): %w", err)
	}
	return err
}

// fill puts more games there, and reports whether there were any.
func (q *queue) fill(ctx context.Context, k *task) (more bool, err error) {
	var puts []jetstream.PubAckFuture
	for ; q.next < k.size() && len(puts) < queueChunk; q.next++ {
		if k.isDone(q.next) {
			continue
		}
		m := nats.NewMsg(queuePrefix + k.id + "." + strconv.Itoa(q.next))
		put, err := q.js.PublishMsgAsync(m, jetstream.WithMsgID(fmt.Sprintf("%s/%s/%d", q.epoch, k.id, q.next)))
		if err != nil {
			return false, err
		}
		puts = append(puts, put)
	}
	for _, put := range puts {
		select {
		case <-put.Ok():
		case err := <-put.Err():
			return false, err
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return len(puts) > 0, nil
}

// pull returns up to n games of the task, fewer only if there are no more to be given out
// now.
func (q *queue) pull(ctx context.Context, k *task, n int) (found []queued, err error) {
	if q.id != k.id {
		return nil, errors.New("the games are not in the queue yet")
	}
	for len(found) < n {
		batch, err := q.consumer.FetchNoWait(min(n-len(found), pullAtOnce))
		if err != nil {
			return found, err
		}
		before := len(found)
		for m := range batch.Messages() {
			if number, ok := q.number(m); ok {
				found = append(found, queued{number, m})
			} else {
				_ = m.Ack()
			}
		}
		if len(found) > before {
			continue
		}
		if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
			return found, err
		}
		if more, err := q.fill(ctx, k); !more || err != nil {
			return found, err
		}
	}
	return found, nil
}

// queued is a game that was pulled.
type queued struct {
	number  int
	message jetstream.Msg
}

func (q *queue) number(m jetstream.Msg) (number int, ok bool) {
	text, ok := strings.CutPrefix(m.Subject(), queuePrefix+q.id+".")
	number, err := strconv.Atoi(text)
	return number, ok && err == nil && number >= 0
}

// check puts the games of a task there again if some have been lost, such as with the
// server's memory.
func (q *queue) check(ctx context.Context, k *task) error {
	if q.id != k.id {
		return q.reset(ctx, k)
	}
	info, err := q.stream.Info(ctx)
	if err == nil {
		_, err = q.consumer.Info(ctx)
	}
	lost := errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound)
	if err == nil && int(info.State.Msgs) < k.missing(q.next) || lost {
		return q.reset(ctx, k)
	}
	return explainedJetStream(err)
}
