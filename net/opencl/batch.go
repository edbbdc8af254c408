package opencl

import (
	"cmp"
	"errors"
	"math/bits"
	"runtime"

	"tiro/net/opencl/cl"
)

// batchLanes is the number of batches that are prepared, sent or computed at a time: while the
// device computes one, the next is sent.
const batchLanes = 2

// errTooMany is the error of a batch that does not fit in the memory of the device. The limit,
// Backend.most, has fallen.
var errTooMany = errors.New("opencl: too many positions")

// batch is memory for the batches of a lane.
type batch struct {
	positions // of all requests
	commands
}

// evaluate evaluates the positions of requests together.
func (n *Network) evaluate(lane int, requests []*positions) error {
	for _, packed := range []bool{true, false} {
		var some []*positions
		for _, p := range requests {
			if p.packed == packed {
				some = append(some, p)
			}
		}
		if len(some) == 0 {
			continue
		}
		if err := n.together(&n.lanes[lane], some); err != nil {
			return err
		}
	}
	return nil
}

// together evaluates requests that are all packed, or none of them.
func (n *Network) together(b *batch, requests []*positions) error {
	n.batches.Add(1)
	b.merge(requests, n.board.Cells()*n.heads.out)
	err := cmp.Or(n.send(b), b.wait())
	runtime.KeepAlive(n) // else its weights might be released before the last kernel starts
	if half := len(requests) / 2; errors.Is(err, errTooMany) && half > 0 {
		return cmp.Or(n.together(b, requests[:half]), n.together(b, requests[half:]))
	}
	if err != nil {
		return err
	}
	logits, outcome := b.logits, b.outcome
	for _, p := range requests {
		logits, outcome = logits[copy(p.logits, logits):], outcome[copy(p.outcome, outcome):]
	}
	return nil
}

// merge copies the positions of requests. A position has the given number of activations of the
// heads.
func (b *batch) merge(requests []*positions, heads int) {
	b.rows, b.packed = 0, requests[0].packed
	b.bits, b.scale, b.x, b.index = b.bits[:0], b.scale[:0], b.x[:0], b.index[:0]
	outcomes := 0
	for _, p := range requests {
		if p.packed {
			b.bits, b.scale = append(b.bits, p.bits...), append(b.scale, p.scale...)
		} else {
			b.x = append(b.x, p.x...)
		}
		first := uint32(b.rows * heads)
		for _, at := range p.index {
			b.index = append(b.index, first+at)
		}
		b.rows += p.rows
		outcomes += len(p.outcome)
	}
	b.logits, b.outcome = resized(b.logits, len(b.index)), resized(b.outcome, outcomes)
}

// send gives all commands of a batch. Its memory must not change before b.wait.
func (n *Network) send(b *batch) error {
	d := n.backend
	d.mu.Lock()
	defer d.mu.Unlock()
	w, rows, err := d.reserve(n, b.rows)
	if err != nil {
		return err
	}
	if rows < b.rows {
		return errTooMany
	}
	size := 4 << bits.Len(uint(len(b.index))) // seldom grows
	indices, err := d.buffer("indices", size)
	if err != nil {
		return err
	}
	gathered, err := d.buffer("gathered", size)
	if err != nil {
		return err
	}
	packed := b.bits
	if !b.packed {
		packed = nil
	}
	c := &b.commands
	n.observe(c, w, rows, packed, b.scale, b.x)
	c.write(indices, cl.Bytes(b.index))
	n.forward(c, w, rows)
	c.run(n.gather, len(b.index), w.heads, indices, gathered, int32(len(b.index)))
	c.read(cl.Bytes(b.logits), gathered)
	c.read(cl.Bytes(b.outcome), w.outcome)
	return cmp.Or(c.err, d.queue.Flush())
}

// Batch implements net.Device: fewer positions leave compute units idle, or wait longer for the
// start of each command than for its results.
func (b *Backend) Batch() int {
	if b.cpu {
		return 64
	}
	return max(256, min(32*b.Device.Units, maxRows))
}
