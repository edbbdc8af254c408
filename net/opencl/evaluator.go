package opencl

import (
	"context"
	"fmt"
	"runtime"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/opencl/cl"
)

// Evaluator evaluates positions with a network on a device. It is for one goroutine; evaluators of
// all networks share the device, which runs their batches in the order of Start.
type Evaluator struct {
	network *Network
	spec    env.Spec // of the game
	rows    int

	x       []float32 // [rows, Planes, Height, Width]
	bits    []uint32  // [rows, words]
	scale   []float32 // [rows, Planes]
	index   []uint32  // of the logits of legal actions in the activations of the heads
	logits  []float32 // of legal actions, leaf by leaf
	outcome []float32 // [rows, padded outcomes]

	begun     []*mcts.Leaf // leaves of the batch on the device
	transfers events
}

var _ mcts.Evaluator = (*Evaluator)(nil)

// Evaluate evaluates leaves, in several batches if there are more than rows. It returns an error
// if ctx is cancelled, the network's output is not finite, or the device fails.
func (e *Evaluator) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	for len(leaves) > 0 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("opencl: evaluate: %w", err)
		}
		n, err := e.Start(leaves)
		if err == nil {
			err = e.Finish()
		}
		if err != nil {
			return err
		}
		leaves = leaves[n:]
	}
	return nil
}

// Start begins to evaluate the first n of leaves, as many as fit in a batch. Finish must be called
// before the next Start, and the leaves must not change until then. After an error there is
// nothing to finish.
func (e *Evaluator) Start(leaves []*mcts.Leaf) (n int, err error) {
	if e.network.err != nil {
		return 0, e.network.err
	}
	if n, err = e.start(leaves[:min(len(leaves), e.rows)]); err != nil {
		_ = e.transfers.wait()
		return 0, e.network.backend.fault(err)
	}
	return n, nil
}

func (e *Evaluator) start(leaves []*mcts.Leaf) (int, error) {
	n, b := e.network, e.network.backend
	b.mu.Lock()
	defer b.mu.Unlock()
	w, rows, err := b.reserve(n, len(leaves))
	if err != nil {
		return 0, err
	}
	leaves = leaves[:rows]
	e.observe(leaves)
	indices, err := b.buffer("indices", 4*len(e.index))
	if err != nil {
		return 0, err
	}
	gathered, err := b.buffer("gathered", 4*len(e.index))
	if err != nil {
		return 0, err
	}
	if err := n.observe(w, rows, e.bits, e.scale, e.x, &e.transfers); err != nil {
		return 0, err
	}
	if err := e.transfers.add(b.queue.WriteLater(indices, 0, cl.Bytes(e.index))); err != nil {
		return 0, err
	}
	if err := n.forward(w, rows); err != nil {
		return 0, err
	}
	if err := run(b.queue, n.gather, len(e.index), w.heads, indices, gathered, int32(len(e.index))); err != nil {
		return 0, err
	}
	if err := e.transfers.add(b.queue.ReadLater(cl.Bytes(e.logits), gathered, 0)); err != nil {
		return 0, err
	}
	if err := e.transfers.add(b.queue.ReadLater(cl.Bytes(e.outcome), w.outcome, 0)); err != nil {
		return 0, err
	}
	e.begun = leaves
	runtime.KeepAlive(n)
	return rows, b.queue.Flush()
}

// Finish waits for the batch and sets Prior and Value of its leaves.
func (e *Evaluator) Finish() error {
	if err := e.transfers.wait(); err != nil {
		return e.network.backend.fault(err)
	}
	logits, width := e.logits, e.network.outcome.out
	for i, leaf := range e.begun {
		n := copy(leaf.Prior, logits[:len(leaf.Legal)])
		logits = logits[n:]
		if err := net.Softmax(leaf.Prior[:n]); err != nil {
			return fmt.Errorf("opencl: evaluate: %w", err)
		}
		view, err := net.OutcomeView(e.outcome[i*width:][:e.spec.Outcomes()], e.spec.Players)
		if err != nil {
			return fmt.Errorf("opencl: evaluate: %w", err)
		}
		leaf.Value = view.BySeat(leaf.State.Turn(), e.spec.Players)
	}
	e.begun = nil
	return nil
}

// observe fills the evaluator's memory with observations and indices of leaves.
func (e *Evaluator) observe(leaves []*mcts.Leaf) {
	inputs, rows, n := e.spec.Inputs(), len(leaves), e.network
	words := (inputs + 31) / 32
	e.x = resized(e.x, rows*inputs)
	e.bits, e.scale = resized(e.bits, rows*words), resized(e.scale, rows*e.spec.Planes)
	e.outcome = resized(e.outcome, rows*n.outcome.out)
	e.index = e.index[:0]
	cells, width, packed := uint32(e.spec.Cells()), uint32(n.heads.out), true
	for i, leaf := range leaves {
		x := e.x[i*inputs:][:inputs]
		leaf.State.Observe(x)
		packed = packed && pack(e.bits[i*words:][:words], e.scale[i*e.spec.Planes:][:e.spec.Planes], x)
		for _, a := range leaf.Legal {
			a := uint32(a)
			e.index = append(e.index, (uint32(i)*cells+a%cells)*width+a/cells)
		}
	}
	e.logits = resized(e.logits, len(e.index))
	if !packed {
		e.bits = nil
	}
}

// pack writes an observation x [planes, cells] as bits and the scale of each plane: the number of
// its bits that are 1. It reports false if a plane contains two numbers besides 0.
func pack(bits []uint32, scale, x []float32) bool {
	clear(bits)
	cells := len(x) / len(scale)
	for p := range scale {
		scale[p] = 0
		for i, v := range x[p*cells:][:cells] {
			if v == 0 {
				continue
			}
			if scale[p] != v && scale[p] != 0 {
				return false
			}
			scale[p] = v
			bits[(p*cells+i)/32] |= 1 << ((p*cells + i) % 32)
		}
	}
	return true
}

// resized returns memory for n numbers, x if it suffices.
func resized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
