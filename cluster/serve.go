package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Times and bounds of a trainer's connection.
const (
	checkEvery = 2 * time.Second // looks after the queue and the connections
	maxPending = 8 << 20         // bytes of requests that wait, for each of readers
	maxWaiting = 16 << 10        // these requests
	readers    = 2               // goroutines that check games
)

// open starts the server, the connection, and the worker of this process, once, and
// publishes the games of the current task.
func (t *Trainer) open(ctx context.Context) (err error) {
	if t.nc != nil {
		t.check(ctx)
		t.news()
		return nil
	}
	c := client{url: t.o.URL, server: t.server, name: trainerConnection, credentials: t.keys, warn: t.warn, connected: func() {}}
	if t.server != nil {
		if err := t.server.start(); err != nil {
			return err
		}
		t.info("waiting for workers", "at", t.server.at(), "credentials", t.keys != nil)
	}
	if t.nc, err = c.connect(); err != nil {
		return err
	}
	ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	t.background(ctx, t.serve)
	if t.o.Workers > 0 {
		o := WorkerOptions{
			URL: t.o.URL, server: t.server, Credentials: c.credentials, Name: trainerName, Workers: t.o.Workers, Memory: math.MaxInt64 / 2,
			Backend: t.o.Backend, Version: t.o.Version, Find: t.o.Find, CPU: t.o.CPU, Warn: t.warn,
		}
		t.background(ctx, func(ctx context.Context) error { return Work(ctx, o) })
	}
	return nil
}

// background runs f until Close.
func (t *Trainer) background(ctx context.Context, f func(context.Context) error) {
	t.wait.Go(func() {
		if err := f(ctx); err != nil && ctx.Err() == nil {
			t.failed <- err
		}
	})
}

// news makes workers ask.
func (t *Trainer) news() { _ = t.nc.Publish(newsSubject, nil) }

// serve answers workers until ctx ends.
func (t *Trainer) serve(ctx context.Context) error {
	if err := t.claim(ctx); err != nil {
		return err
	}
	js, err := jetstream.New(t.nc, jetstream.WithDefaultTimeout(callTimeout))
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.queue = &queue{js: js, replicas: t.o.Replicas, wait: t.o.Lease}
	t.pull = t.queue.pull
	t.mu.Unlock()
	t.check(ctx)
	for range readers {
		err = errors.Join(err, t.listen(askPrefix+"*", t.ask))
	}
	if err := errors.Join(err, t.listen(networkPrefix+"*.*.*", t.network)); err != nil {
		return err
	}
	t.news()
	for pause(ctx, checkEvery, nil) == nil {
		if t.nc.IsClosed() {
			return refusedBy(t.nc)
		}
		t.check(ctx)
		if t.server != nil {
			t.server.limitConnections()
		}
	}
	return ctx.Err()
}

// claim makes this the trainer at the server, or returns an error if there is another one.
func (t *Trainer) claim(ctx context.Context) error {
	for !t.nc.IsConnected() {
		if t.nc.IsClosed() {
			return refusedBy(t.nc)
		}
		if err := pause(ctx, 20*time.Millisecond, nil); err != nil {
			return err
		}
	}
	if t.server == nil {
		_, err := t.nc.Request(trainerSubject, nil, time.Second)
		if err == nil || errors.Is(t.nc.LastError(), nats.ErrPermissionViolation) { // embedded servers have only workers
			return errors.New("another training, match or rating uses this server; stop it first, or use another server")
		}
	}
	_, err := t.nc.Subscribe(trainerSubject, func(m *nats.Msg) { _ = m.Respond(nil) })
	return err
}

// check makes the queue hold the games of the current task.
func (t *Trainer) check(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil || t.queue == nil {
		return
	}
	err := t.queue.check(ctx, t.current)
	switch changed := t.fault.changes(err); {
	case !changed || errors.Is(err, context.Canceled):
	case err != nil:
		t.warn("the server fails; trying again", "reason", err)
	default:
		t.info("the server works again")
	}
}

// listen answers requests, whose subjects have the name of a worker in their third part. It
// answers only to the inbox of that worker, and only if this trainer has not been
// interrupted.
func (t *Trainer) listen(subject string, answer func(parts []string, process string, data []byte) []byte) error {
	s, err := t.nc.QueueSubscribe(subject, "trainer", func(m *nats.Msg) {
		parts := strings.Split(m.Subject, ".")
		process, ok := processOf(parts[2], m.Reply)
		t.mu.Lock()
		ok = ok && !t.away
		t.mu.Unlock()
		if ok {
			_ = m.Respond(answer(parts, process, m.Data)) // if it is lost, the worker asks again
		}
	})
	if err == nil {
		err = s.SetPendingLimits(maxWaiting, maxPending)
	}
	return err
}

// ask answers a request.
func (t *Trainer) ask(parts []string, process string, data []byte) []byte {
	var q request
	r := reply{Granted: []int{}}
	if err := decodeMessage(data, &q); err != nil {
		t.mu.Lock()
		t.once("a request is invalid", parts[2], err.Error())
		t.mu.Unlock()
		r.Refused = clip(err.Error())
	} else {
		r = t.answer(parts[2], process, &q)
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has only numbers and texts
	}
	return text
}

// network returns a piece of a network of the current task, or nothing.
func (t *Trainer) network(parts []string, _ string, _ []byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	offset, err := strconv.Atoi(parts[4])
	if t.current == nil || err != nil {
		return nil
	}
	k, name := t.current, parts[3]
	if write := k.networks[name]; k.file.name != name {
		var file bytes.Buffer
		if write == nil || write(&file) != nil {
			return nil
		}
		k.file.name, k.file.data = name, file.Bytes()
	}
	piece := k.file.data[min(max(offset, 0), len(k.file.data)):]
	return piece[:min(len(piece), networkPiece)]
}
