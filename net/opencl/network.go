package opencl

import (
	"cmp"
	"fmt"
	"runtime"
	"sync/atomic"

	"tiro/env"
	"tiro/internal/queue"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/opencl/cl"
)

// Network is a network on a device. It is immutable and safe for concurrent use.
type Network struct {
	backend *Backend
	spec    env.Spec // of the training
	config  net.Config
	board   kernel.Board
	err     error // why the network cannot be used

	queue   *queue.Queue[*positions]
	lanes   [batchLanes]batch
	batches atomic.Int64 // computed so far

	planes, numbers, means, features, gather *cl.Kernel

	convs   []conv  // the stem, then two for each block
	heads   product // policy planes, then the outcome head's channels
	hidden  *product
	outcome product
}

var _ net.Network = (*Network)(nil)

// Spec returns the spec of the game that the network was trained for.
func (n *Network) Spec() env.Spec { return n.spec }

// Config returns the configuration of the network.
func (n *Network) Config() net.Config { return n.config }

// NewEvaluator returns an *Evaluator of batches of rows positions. The number of threads does not
// matter.
func (n *Network) NewEvaluator(game env.Game, rows, _ int) mcts.Evaluator {
	return &Evaluator{network: n, spec: game.Spec(), rows: max(rows, 1), client: n.queue.NewClient()}
}

// Load is Compile with a concrete type.
func (b *Backend) Load(w *net.Weights) *Network {
	n := &Network{backend: b, spec: w.Spec, config: w.Config, board: kernel.NewBoard(w.Spec.Height, w.Spec.Width)}
	n.queue = queue.New(batchLanes, b.Batch(), n.evaluate)
	for i := range n.lanes {
		n.lanes[i].queue = b.queue
	}
	l := &loader{backend: b, weights: w, loaded: &loaded{}}
	n.load(l)
	runtime.AddCleanup(n, (*loaded).free, l.loaded)
	if n.err = b.fault(l.err); n.err == nil {
		n.err = b.fault(n.test(w))
	}
	return n
}

func (n *Network) load(l *loader) {
	channels, cells := n.config.Channels, n.board.Cells()
	n.planes, n.numbers, n.means = l.kernel("planes"), l.kernel("numbers"), l.kernel("means")
	n.features, n.gather = l.kernel("features"), l.kernel("gather")
	n.convs = append(n.convs, l.conv(&n.board, n.spec.Planes, channels, "stem", withReLU))
	for i := range n.config.Blocks {
		name := fmt.Sprintf("block.%d.", i)
		first := l.conv(&n.board, channels, channels, name+"conv1", withReLU)
		if n.config.Pool {
			pool := l.product(channels, 0, name+"pool")
			first.pool, first.flags = &pool, first.flags|withRowBias
		}
		n.convs = append(n.convs, first, l.conv(&n.board, channels, channels, name+"conv2", withReLU|withResidual))
	}
	for i := range n.convs[1:] {
		if n.board.Tiles > 1 {
			break
		}
		c, next := &n.convs[i], &n.convs[i+1]
		c.through = l.kernel(fmt.Sprintf("through%d", n.board.Tiling.Size))
		if i%2 == 0 {
			c.flags |= keeping // for the residual
		}
		if next.pool != nil {
			c.flags |= withMean
		}
	}
	n.heads = l.product(channels, withBias, "policy", "outcome.conv")
	features := n.config.OutcomeChannels * cells
	if n.config.Hidden > 0 {
		hidden := l.product(features, withBias|withReLU, "outcome.hidden")
		n.hidden, features = &hidden, n.config.Hidden
	}
	n.outcome = l.product(features, withBias, "outcome.out")
}

// workspace is the memory of a batch on the device.
type workspace struct {
	input, trunk, branch      *cl.Buffer // activations
	points, sums              *cl.Buffer // of a convolution
	mean, rowBias             *cl.Buffer // [rows, channels]
	heads                     *cl.Buffer // [rows, cells, policy planes and outcome channels]
	features, hidden, outcome *cl.Buffer // of the outcome head
	observed, scale           *cl.Buffer // observations: numbers, or bits and scales
}

// workspace reserves memory for rows positions. Backend.mu must be held.
func (n *Network) workspace(rows int) (*workspace, error) {
	w := &workspace{}
	cells, channels, planes := n.board.Cells(), padded(n.config.Channels, lanes), padded(n.spec.Planes, lanes)
	tiles := n.board.Points() * padded(rows*n.board.Tiles, blockRows)
	hidden := lanes
	if n.hidden != nil {
		hidden = n.hidden.out
	}
	for _, part := range []struct {
		name    string
		buffer  **cl.Buffer
		numbers int
	}{
		{"input", &w.input, rows * cells * planes},
		{"trunk", &w.trunk, padded(rows*cells, blockRows) * channels},
		{"branch", &w.branch, rows * cells * channels},
		{"points", &w.points, tiles * max(channels, planes)},
		{"sums", &w.sums, tiles * channels},
		{"mean", &w.mean, padded(rows, blockRows) * channels},
		{"rowBias", &w.rowBias, padded(rows, blockRows) * channels},
		{"heads", &w.heads, padded(rows*cells, blockRows) * n.heads.out},
		{"features", &w.features, padded(rows, blockRows) * padded(n.config.OutcomeChannels*cells, lanes)},
		{"hidden", &w.hidden, padded(rows, blockRows) * hidden},
		{"outcome", &w.outcome, padded(rows, blockRows) * n.outcome.out},
		{"observed", &w.observed, rows * n.spec.Inputs()},
		{"scale", &w.scale, rows * n.spec.Planes},
	} {
		var err error
		if *part.buffer, err = n.backend.buffer(part.name, 4*part.numbers); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// forward runs the layers on w.input. Results are in w.heads and w.outcome.
func (n *Network) forward(c *commands, w *workspace, rows int) {
	cells := n.board.Cells()
	x := w.input
	for i := range n.convs {
		l, y := &n.convs[i], w.trunk
		if i%2 == 1 {
			y = w.branch
		}
		if i == 0 || n.board.Tiles > 1 {
			l.input(c, w, rows, x, n.means)
		}
		l.run(c, w, rows, y)
		x = y
	}
	n.heads.run(c, w.trunk, w.heads, rows*cells)
	last, width := w.features, padded(n.config.OutcomeChannels*cells, lanes)
	c.run(n.features, rows*width, w.heads, w.features, int32(cells), int32(n.heads.out), int32(n.spec.PolicyPlanes),
		int32(n.config.OutcomeChannels), int32(width), int32(rows*width))
	if n.hidden != nil {
		n.hidden.run(c, w.features, w.hidden, rows)
		last = w.hidden
	}
	n.outcome.run(c, last, w.outcome, rows)
	runtime.KeepAlive(n) // else its kernels might be released before the last one starts
}

// Batches returns the number of batches of all evaluators so far.
func (n *Network) Batches() int { return int(n.batches.Load()) }

// Compute computes batches of rows positions and waits for them. No positions are sent and no
// results received: it measures the network alone.
func (n *Network) Compute(rows int) error {
	if n.err != nil {
		return n.err
	}
	b := n.backend
	b.mu.Lock()
	defer b.mu.Unlock()
	c := commands{queue: b.queue}
	for left := rows; left > 0; {
		w, count, err := b.reserve(n, left)
		if err != nil {
			return b.fault(err)
		}
		n.forward(&c, w, count)
		left -= count
	}
	return b.fault(cmp.Or(c.err, b.queue.Finish()))
}

// Logits returns a function that calls Run.
func (n *Network) Logits() func(x, policy, outcome []float32) error {
	return func(x, policy, outcome []float32) error { return n.Run(1, x, policy, outcome) }
}

// Run evaluates rows observations x [rows, Planes, Height, Width]. It writes logits to policy
// [rows, Actions] and outcome [rows, Players+1].
func (n *Network) Run(rows int, x, policy, outcome []float32) error {
	if n.err != nil {
		return n.err
	}
	return n.backend.fault(n.run(rows, x, policy, outcome))
}

func (n *Network) run(rows int, x, policy, outcome []float32) error {
	cells, outcomes := n.board.Cells(), n.spec.Outcomes()
	for done := 0; done < rows; {
		heads, last, err := n.outputs(rows-done, x[done*n.spec.Inputs():])
		if err != nil {
			return err
		}
		count := len(last) / n.outcome.out
		for row := range count {
			to := policy[(done+row)*n.spec.Actions():]
			for a := range n.spec.Actions() {
				to[a] = heads[(row*cells+a%cells)*n.heads.out+a/cells]
			}
			copy(outcome[(done+row)*outcomes:][:outcomes], last[row*n.outcome.out:])
		}
		done += count
	}
	return nil
}

// outputs returns the activations of the heads and the last layer for the first of rows
// observations x, as many as fit.
func (n *Network) outputs(rows int, x []float32) (heads, outcome []float32, err error) {
	b := n.backend
	b.mu.Lock()
	defer b.mu.Unlock()
	w, count, err := b.reserve(n, rows)
	if err != nil {
		return nil, nil, err
	}
	heads, outcome = make([]float32, count*n.board.Cells()*n.heads.out), make([]float32, count*n.outcome.out)
	c := commands{queue: b.queue}
	n.observe(&c, w, count, nil, nil, x[:count*n.spec.Inputs()])
	n.forward(&c, w, count)
	c.read(cl.Bytes(heads), w.heads)
	c.read(cl.Bytes(outcome), w.outcome)
	return heads, outcome, c.wait()
}

// observe sends observations to w.input: bits and scales, or numbers x if bits is nil. The memory
// must not change before c.wait.
func (n *Network) observe(c *commands, w *workspace, rows int, bits []uint32, scale, x []float32) {
	cells, planes, channels := int32(n.board.Cells()), int32(n.spec.Planes), int32(n.convs[0].product.in)
	total := rows * n.board.Cells() * n.convs[0].product.in
	if bits == nil {
		c.write(w.observed, cl.Bytes(x))
		c.run(n.numbers, total, w.observed, w.input, cells, planes, channels, int32(total))
		return
	}
	c.write(w.observed, cl.Bytes(bits))
	c.write(w.scale, cl.Bytes(scale))
	c.run(n.planes, total, w.observed, w.scale, w.input, cells, planes, channels, int32(len(bits)/rows), int32(total))
}
