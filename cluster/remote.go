package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// remote is the source of a worker's games: a trainer behind a server.
type remote struct {
	*worker
	o *offer

	mu     sync.Mutex
	header []byte // with which the message of each game begins
}

func newRemote(w *worker, o *offer) *remote { return &remote{worker: w, o: o} }

func (r *remote) ask(ctx context.Context, q request) (reply, error) {
	a, err := r.request(ctx, &q)
	if err == nil && a.ID != "" && a.ID != r.o.id {
		signal(r.poke)
	}
	return a, err
}

// deliver publishes a game. If it has to be tried again, the server drops the second
// message, which has the same ID. A game that is played again, since the trainer no
// longer has it, has a new one.
func (r *remote) deliver(ctx context.Context, p *parcel) error {
	if !r.nc.IsConnected() {
		return nats.ErrDisconnected // instead of waiting for an answer
	}
	if p.message == "" {
		r.parcels++
		p.message = fmt.Sprintf("%s/%d/%s/%s/%d", r.o.id, p.Game, r.worker.o.Name, r.worker.o.Session, r.parcels)
	}
	data, err := r.message(&p.Episode)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err = r.js.Publish(ctx, episodePrefix+r.o.id+"."+r.worker.o.Name, data, jetstream.WithMsgID(p.message))
	if stopped := ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded); !stopped && r.unsent.changes(err) && err != nil {
		r.warn("the server does not take games; trying again", "reason", err)
	}
	return err
}

// message returns a game as an episode file that holds nothing else.
func (r *remote) message(e *selfplay.Episode) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.header == nil {
		var b bytes.Buffer
		if err := selfplay.Write(&b, r.o.game, r.o.episodeHeader(), nil); err != nil {
			return nil, err
		}
		r.header = b.Bytes()
	}
	b := bytes.NewBuffer(bytes.Clone(r.header))
	appender, err := selfplay.NewAppender(b, r.o.game)
	if err == nil {
		err = appender.Append(*e)
	}
	return b.Bytes(), err
}

// network is the network that a worker has fetched last.
type network struct {
	net     string // fingerprint
	backend string
	model   *net.Model
}

// tryFor calls a function until it works, or will never work.
func tryFor(ctx context.Context, failed func(error), f func() error) error {
	fault := onceMore{}
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

// fetch gets the network of an offer, unless it is there.
func (n *network) fetch(ctx context.Context, js jetstream.JetStream, o *offer, backend kernel.Backend, failed func(error)) error {
	if n.net == o.Net && n.backend == backend.Name() {
		return nil
	}
	return tryFor(ctx, failed, func() error {
		weights, err := fetchWeights(ctx, js, o)
		if err == nil {
			*n = network{o.Net, backend.Name(), net.Compile(backend, weights)}
		}
		return err
	})
}

// fetchStarts gets the start positions of an offer, if it has some.
func fetchStarts(ctx context.Context, js jetstream.JetStream, o *offer, failed func(error)) error {
	if o.Starts == "" {
		return nil
	}
	return tryFor(ctx, failed, func() error {
		data, err := download(ctx, js, startsPrefix+o.Starts, maxStarts)
		if err != nil {
			return err
		}
		if o.job.Starts, err = decodeStarts(o.game, data, o.Starts); err != nil {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		return nil
	})
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

// fetchWeights gets the weights of an offer and checks that they are what it names.
func fetchWeights(ctx context.Context, js jetstream.JetStream, o *offer) (*net.Weights, error) {
	data, err := download(ctx, js, o.Net, maxWeights)
	if err != nil {
		return nil, err
	}
	w, err := net.ReadWeights(data, o.game.Spec())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	fingerprint, err := rundir.Fingerprint(w)
	if err == nil && fingerprint != o.Net {
		err = fmt.Errorf("%w: the network is %s; the announcement names %s", errRefused, fingerprint, o.Net)
	}
	return w, err
}

// evaluators returns what makes the evaluators of an offer.
func (n *network) evaluators(o *offer, c *counter) func() mcts.Evaluator {
	model := n.model
	return func() mcts.Evaluator {
		return c.count(net.NewEvaluator(o.game, model, train.EvaluatorRows(&o.job.Config)))
	}
}
