package opencl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tiro/env"
	"tiro/internal/queue"
	"tiro/mcts"
	"tiro/net"
)

// Evaluator evaluates positions with a network on a device. It is for one goroutine. The
// positions of all evaluators of a network share batches.
type Evaluator struct {
	network *Network
	spec    env.Spec // of the game
	rows    int
	client  *queue.Client[*positions]
	row     []float32 // an observation [Planes, Height, Width]
	positions
}

// positions are leaves as the device needs them, and its answers.
type positions struct {
	rows    int
	packed  bool      // whether bits and scale replace x
	bits    []uint32  // [rows, words]
	scale   []float32 // [rows, Planes]
	x       []float32 // [rows, Planes, Height, Width]
	index   []uint32  // of the logits of legal actions in the activations of the heads
	logits  []float32 // of legal actions, leaf by leaf
	outcome []float32 // [rows, padded outcomes]
}

var _ mcts.Evaluator = (*Evaluator)(nil)

// Evaluate evaluates leaves, in several batches if there are more than rows. It returns an error
// if ctx is cancelled, the network's output is not finite, or the device fails.
func (e *Evaluator) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	if e.network.err != nil {
		return e.network.err
	}
	for len(leaves) > 0 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("opencl: evaluate: %w", err)
		}
		n := min(len(leaves), e.rows, int(e.network.backend.most.Load()))
		e.encode(leaves[:n])
		err := e.client.Do(&e.positions, n)
		if errors.Is(err, errTooMany) { // most has fallen
			continue
		}
		if err != nil {
			return e.network.backend.fault(err)
		}
		if err := e.decode(leaves[:n]); err != nil {
			return fmt.Errorf("opencl: evaluate: %w", err)
		}
		leaves = leaves[n:]
	}
	return nil
}

// encode writes leaves to e.positions.
func (e *Evaluator) encode(leaves []*mcts.Leaf) {
	p, planes, inputs, rows := &e.positions, e.spec.Planes, e.spec.Inputs(), len(leaves)
	words := (inputs + 31) / 32 // of a packed observation
	p.rows, p.packed, e.row = rows, true, resized(e.row, inputs)
	p.bits, p.scale = resized(p.bits, rows*words), resized(p.scale, rows*planes)
	for i := 0; i < rows && p.packed; i++ {
		e.network.config.Observe(leaves[i].State, e.row)
		p.packed = pack(p.bits[i*words:][:words], p.scale[i*planes:][:planes], e.row)
	}
	if !p.packed {
		p.x = resized(p.x, rows*inputs)
		for i, leaf := range leaves {
			e.network.config.Observe(leaf.State, p.x[i*inputs:][:inputs])
		}
	}
	cells, width := uint32(e.spec.Cells()), uint32(e.network.heads.out)
	p.index = p.index[:0]
	for i, leaf := range leaves {
		for _, a := range leaf.Legal {
			a := uint32(a)
			p.index = append(p.index, (uint32(i)*cells+a%cells)*width+a/cells)
		}
	}
	p.logits, p.outcome = resized(p.logits, len(p.index)), resized(p.outcome, rows*e.network.outcome.out)
}

// decode sets Prior and Value of leaves from the answers.
func (e *Evaluator) decode(leaves []*mcts.Leaf) error {
	logits, width := e.logits, e.network.outcome.out
	for i, leaf := range leaves {
		n := copy(leaf.Prior, logits[:len(leaf.Legal)])
		logits = logits[n:]
		if err := net.Softmax(leaf.Prior[:n]); err != nil {
			return err
		}
		view, err := net.OutcomeView(e.outcome[i*width:][:e.spec.Outcomes()], e.spec.Players)
		if err != nil {
			return err
		}
		leaf.Value = view.BySeat(leaf.State.Turn(), e.spec.Players)
	}
	return nil
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
func resized[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }
