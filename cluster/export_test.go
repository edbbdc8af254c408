package cluster

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tiro/net/kernel"
)

// AnnouncementID returns the ID of an announcement.
var AnnouncementID = digestOf

// liar is the source of a worker that changes what the searches of its games found.
type liar struct {
	*remote
	ready <-chan struct{} // it sends nothing before this is closed
}

func (l liar) deliver(ctx context.Context, p *delivery) error {
	select {
	case <-l.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	switch g := p.game.(type) {
	case *episode:
		for i := range g.Samples {
			g.Samples[i].KL += 0.5
		}
	case *matchGame:
		for i := range g.Effort {
			g.Effort[i].Nodes++
		}
	}
	return l.remote.deliver(ctx, p)
}

// Lie is Work for what is announced now, by such a worker, which sends nothing before
// ready is closed.
func Lie(ctx context.Context, o WorkerOptions, ready <-chan struct{}) error {
	w := &worker{o: o, poke: make(chan struct{}, 1)}
	var err error
	if w.nc, err = w.client().connect(); err != nil {
		return err
	}
	defer w.nc.Close()
	if w.js, err = jetstream.New(w.nc); err != nil {
		return err
	}
	var data []byte
	for data == nil && ctx.Err() == nil {
		_ = w.watchOnce(ctx, func(d []byte) bool { data = d; return false })
	}
	offered, err := parseAnnouncement(data, o.Version, o.Find)
	if err != nil {
		return err
	}
	l := &fetcher{js: w.js, counted: &w.counted, failed: w.lostWeights, got: w.gotNetwork}
	if err := offered.prepare(ctx, l, kernel.Best()); err != nil {
		return err
	}
	p := player{
		source: liar{&remote{w, offered.id}, ready}, id: offered.id, lease: time.Duration(offered.common().LeaseMilli) * time.Millisecond, workers: 1,
		fill: func(q *request) { w.describe(q, kernel.Best().Name()) },
	}
	return p.play(ctx, offered)
}
