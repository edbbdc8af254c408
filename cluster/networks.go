package cluster

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
)

// objectOf returns the name of a network: the first 16 digits of its checksum.
func objectOf(sum string) string { return sum[:min(len(sum), 16)] }

// network is a network in a worker's memory.
type network struct {
	sum    string // SHA-256 of its weights file
	config net.Config
	model  net.Network
	bytes  int64
	used   int // announcement that used it last
}

// modelOverhead is the memory of a network besides its parameters: 0.33 MB were measured for
// one of 27 kB.
const modelOverhead = 300 << 10

// fetcher gets networks from the trainer. It keeps networks of earlier announcements as long
// as all fit into a quarter of the memory.
type fetcher struct {
	*logger
	nc      *nats.Conn
	subject string // prefix of requests
	memory  int64  // of the worker

	announcement int // counts them
	kept         map[string]*network
	evaluations  atomic.Int64
}

// begin begins another announcement, whose evaluations are counted from 0.
func (f *fetcher) begin() {
	f.announcement++
	f.evaluations.Store(0)
}

// network returns the network whose checksum begins with sum, for a game. It waits until the
// trainer sends it.
func (f *fetcher) network(ctx context.Context, sum string, spec env.Spec, backend net.Backend) (*network, error) {
	key := strings.Join([]string{objectOf(sum), spec.Name, backend.Name()}, " ")
	if n := f.kept[key]; n != nil && strings.HasPrefix(n.sum, sum) {
		n.used = f.announcement
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
	if err != nil {
		return nil, err
	}
	f.info("network fetched", "network", objectOf(found))
	n := &network{sum: found, config: w.Config, model: net.CompileFor(backend, w), bytes: w.Config.ModelBytes(spec) + modelOverhead}
	return n, f.keep(key, n)
}

// keep keeps a network of this announcement. It forgets the networks of earlier ones if all
// are too large.
func (f *fetcher) keep(key string, n *network) error {
	if f.bytes()+n.bytes > f.memory/4 {
		maps.DeleteFunc(f.kept, func(_ string, n *network) bool { return n.used != f.announcement })
	}
	if f.kept == nil {
		f.kept = map[string]*network{}
	}
	n.used, f.kept[key] = f.announcement, n
	return f.fits(f.bytes())
}

// fits returns an error unless networks fit.
func (f *fetcher) fits(bytes int64) error {
	if bytes > f.memory/4 {
		return fmt.Errorf("the networks need more than a quarter of --memory, which is %d bytes", f.memory/4)
	}
	return nil
}

// bytes returns the memory of all networks.
func (f *fetcher) bytes() (all int64) {
	for _, n := range f.kept {
		all += n.bytes
	}
	return all
}

// fetch returns a weights file, piece by piece; the last piece is shorter than networkPiece.
// It tries until the trainer sends it.
func (f *fetcher) fetch(ctx context.Context, name string) (data []byte, err error) {
	const again, timeout = time.Second, 5 * time.Second
	for ctx.Err() == nil {
		waiting, cancel := context.WithTimeout(ctx, timeout)
		piece, err := f.nc.RequestWithContext(waiting, f.subject+name+"."+strconv.Itoa(len(data)), nil)
		cancel()
		if err != nil {
			_ = pause(ctx, again, nil)
			continue
		}
		data = append(data, piece.Data...)
		if err := f.fits(int64(len(data))); err != nil || len(piece.Data) < networkPiece {
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
