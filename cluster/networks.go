package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
)

// objectOf returns the name of a network: the first 16 digits of its checksum.
func objectOf(sum string) string { return sum[:min(len(sum), 16)] }

// network is a network in a worker's memory.
type network struct {
	config net.Config
	model  net.Network
	bytes  int64
}

// modelOverhead is the memory of a network besides its parameters: 0.33 MB were measured for
// one of 27 kB.
const modelOverhead = 300 << 10

// fetcher gets the networks of an announcement from the trainer. All must fit into a quarter
// of the memory.
type fetcher struct {
	id     string // of the announcement
	send   func(context.Context, *request) (reply, error)
	memory int64 // of the worker
	trees  int64 // of that, for search trees on a device
	log    *slog.Logger

	networks    map[string]*network
	bytes       int64 // of these
	evaluations atomic.Int64
}

// network returns the network whose checksum begins with sum, for a game. It waits until the
// trainer sends it.
func (f *fetcher) network(ctx context.Context, sum string, spec env.Spec, backend net.Backend) (*network, error) {
	key := sum + " " + spec.Name
	if n := f.networks[key]; n != nil {
		return n, nil
	}
	data, err := f.fetch(ctx, objectOf(sum))
	if err != nil {
		return nil, err
	}
	w, err := net.ReadWeights(data, spec)
	if err != nil {
		return nil, err
	}
	found, err := w.Checksum()
	if err == nil && !strings.HasPrefix(found, sum) {
		err = fmt.Errorf("the trainer has sent network %s as %s", objectOf(found), sum)
	}
	n := &network{config: w.Config, bytes: w.Config.ModelBytes(spec) + modelOverhead}
	if err == nil {
		err = f.fits(f.bytes + n.bytes)
	}
	if err != nil {
		return nil, err
	}
	f.log.Info("network fetched", "network", objectOf(found))
	n.model = net.CompileFor(backend, w)
	f.bytes += n.bytes
	f.networks[key] = n
	return n, nil
}

// fits returns an error unless networks fit.
func (f *fetcher) fits(bytes int64) error {
	if bytes > f.memory/4 {
		return fmt.Errorf("the networks need more than a quarter of --memory, which is %d bytes", f.memory/4)
	}
	return nil
}

// fetch returns a weights file, piece by piece. It tries until the trainer sends it.
func (f *fetcher) fetch(ctx context.Context, name string) (data []byte, err error) {
	for ctx.Err() == nil {
		r, err := f.send(ctx, &request{ID: f.id, Network: name, Offset: len(data)})
		if err != nil || r.ID != f.id {
			_ = pause(ctx, time.Second, nil)
			continue
		}
		data = append(data, r.Piece...)
		if err := f.fits(int64(len(data))); err != nil || len(r.Piece) < networkPiece {
			return data, err
		}
	}
	return nil, ctx.Err()
}

// count returns an evaluator that counts its evaluations.
func (f *fetcher) count(e mcts.Evaluator) mcts.Evaluator { return counting{e, &f.evaluations} }

type counting struct {
	mcts.Evaluator
	n *atomic.Int64
}

// Evaluate evaluates and counts leaves.
func (c counting) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	c.n.Add(int64(len(leaves)))
	return c.Evaluator.Evaluate(ctx, leaves)
}
