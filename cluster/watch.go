package cluster

import (
	"bytes"
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// rewatch is how often a worker begins to watch anew, since a watch does not outlive
// the bucket that it watches.
const rewatch = 15 * time.Second

// watch sends every announcement that differs from the one before, until ctx ends.
func (w *worker) watch(ctx context.Context, announced chan<- []byte) {
	last := []byte(nil)
	news := func(data []byte) bool {
		if bytes.Equal(data, last) {
			return true
		}
		select {
		case announced <- data:
			last = data
			return true
		case <-ctx.Done():
			return false
		}
	}
	for ctx.Err() == nil {
		if w.watchOnce(ctx, news) != nil {
			w.rest(ctx, retryLink)
		}
	}
}

// rest waits, unless something happens.
func (w *worker) rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.poke:
	case <-ctx.Done():
	}
}

// watchOnce watches for a while. It returns an error if it cannot.
func (w *worker) watchOnce(ctx context.Context, news func([]byte) bool) error {
	timer := time.NewTimer(rewatch)
	defer timer.Stop()
	kv, err := w.js.KeyValue(ctx, bucket)
	if err != nil {
		return err
	}
	watcher, err := kv.Watch(ctx, announcedKey, jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Stop() }()
	for {
		select {
		case entry, ok := <-watcher.Updates():
			if !ok {
				return nil
			}
			if entry != nil && !news(entry.Value()) {
				return ctx.Err()
			}
		case <-w.poke:
			return nil
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
