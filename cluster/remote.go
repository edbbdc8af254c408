package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// remote is the source of a worker's games: a trainer behind a server.
type remote struct {
	*worker
	id string // announcement
}

func (r *remote) ask(ctx context.Context, q request) (reply, error) {
	a, err := r.request(ctx, &q)
	if err == nil && a.ID != "" && a.ID != r.id {
		signal(r.poke)
	}
	return a, err
}

// deliver publishes a game. If it has to be tried again, the server drops the second
// message, which has the same ID. A game that is played again, since the trainer no
// longer has it, has a new one.
func (r *remote) deliver(ctx context.Context, p *delivery) error {
	if !r.nc.IsConnected() {
		return nats.ErrDisconnected // instead of waiting for an answer
	}
	if p.id == "" {
		r.deliveries++
		p.id = fmt.Sprintf("%s/%d/%s/%s/%d", r.id, p.number(), r.o.Name, r.o.Session, r.deliveries)
	}
	data, err := p.game.message()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err = r.js.Publish(ctx, episodePrefix+r.id+"."+r.o.Name, data, jetstream.WithMsgID(p.id))
	if stopped := ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded); !stopped && r.unsent.changes(err) && err != nil {
		r.warn("the server does not take games; trying again", "reason", err)
	}
	return err
}

// tryFor calls a function until it works, or will never work.
func tryFor(ctx context.Context, failed func(error), f func() error) error {
	fault := lastError{}
	for {
		err := f()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil || errors.Is(err, errRefused):
			return err
		case fault.changes(err):
			failed(err)
		}
		if err := pause(ctx, retryLink); err != nil {
			return context.Cause(ctx)
		}
	}
}

// download gets an object of at most so many bytes.
func download(ctx context.Context, js jetstream.JetStream, name string, limit uint64) ([]byte, error) {
	store, err := js.ObjectStore(ctx, weightsStore)
	if err != nil {
		return nil, err
	}
	info, err := store.GetInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	if info.Size > limit {
		return nil, fmt.Errorf("%w: %s has %d bytes; want at most %d", errRefused, name, info.Size, limit)
	}
	ctx, cancel := objectContext(ctx, info.Size)
	defer cancel()
	return store.GetBytes(ctx, name)
}
