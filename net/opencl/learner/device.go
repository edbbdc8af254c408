package learner

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tiro/net/graph"
	"tiro/net/opencl/cl"
)

//go:embed learner.cl
var source string

const (
	batchParts = 8   // slices of a batch whose gradients are added in order
	groups     = 256 // work groups that share the parameters
	rowLosses  = 5   // losses of a row

	largestChunk = 1 << 26 // points of a chunk beyond which it has one convolution only
)

// kind is a kind of devices, for which the kernels are built.
type kind struct {
	tiled bool // whether work groups share local memory
	tile  int  // length and width of the tile of a gradient that a work group computes
	lanes int  // work items that compute a row
	chunk int  // largestChunk, except in tests
}

// kindOf returns the kind of a device: a processor or a graphics card.
func kindOf(d *cl.Device) kind {
	if d.Kind == cl.CPU || d.GroupSize < 256 || d.LocalMemory < 32<<10 {
		return kind{false, 16, 1, largestChunk}
	}
	return kind{true, 64, 128, largestChunk}
}

// device has the memory and the commands of a Trainer.
type device struct {
	context *cl.Context
	kind    kind
	plan    *plan
	err     error // the first one of alloc and command
	program *cl.Program
	buffers []*cl.Buffer
	kernels []*cl.Kernel

	queue, transfers *cl.Queue // transfers sends batches during steps

	memory         *cl.Buffer // activations and their gradients
	layers         *cl.Buffer
	value, average *cl.Buffer
	moments        [2]*cl.Buffer
	points, sums   *cl.Buffer // of convolutions, and of the gradients with respect to their outputs
	parts          *cl.Buffer // of the gradient

	filters, reversedFilters *cl.Buffer // points of the weights of convolutions
	reversed                 *cl.Buffer // weights of other layers for the backward pass

	result *cl.Buffer // losses [rows, rowLosses], and the norm of the gradient

	unpack, loss    command // of a batch
	forward, learns []command
	adam, follow    command
}

// command is a run of a kernel.
type command struct {
	kernel        *cl.Kernel
	global, local []int
	args          []any
}

// alloc allocates an array of numbers.
func (d *device) alloc(numbers int) *cl.Buffer {
	if d.err != nil {
		return nil
	}
	b, err := d.context.Alloc(4 * numbers)
	if d.err = err; err == nil {
		d.buffers = append(d.buffers, b)
	}
	return b
}

// table allocates an array and sends it.
func (d *device) table(x any) *cl.Buffer {
	bytes, err := binary.Append(nil, binary.NativeEndian, x)
	if err != nil {
		panic(err) // x has a type of fixed size
	}
	b := d.alloc(len(bytes) / 4)
	if d.err == nil {
		d.err = d.queue.Write(b, bytes)
	}
	return b
}

// command returns a run of a kernel. Arguments that change from run to run come last and are left
// out.
func (d *device) command(name string, global, local []int, args ...any) command {
	if d.err != nil {
		return command{}
	}
	k, err := d.program.Kernel(name)
	if d.err = err; err == nil {
		d.kernels = append(d.kernels, k)
	}
	return command{k, global, local, args}
}

// inGroups returns a command whose work groups compute a row, or a part of the parameters.
func (d *device) inGroups(n int, name string, args ...any) command {
	return d.command(name, []int{n * d.kind.lanes}, []int{d.kind.lanes}, args...)
}

// build allocates everything but the batches, and prepares the commands.
func (d *device) build(c graph.Config) error {
	p := d.plan
	if max(p.memory, p.points, batchParts*len(p.order), p.filters/9*p.board.Points()) > math.MaxInt32 {
		return fmt.Errorf("%w: the network has arrays of more than 2^31 numbers", cl.ErrMemory)
	}
	options := fmt.Sprintf("-w -D LANES=%d", d.kind.lanes)
	if d.kind.tiled {
		options += " -D TILED"
	}
	var err error
	if d.program, err = d.context.Build(program(&p.board.Tiling), options); err == nil {
		d.queue, err = d.context.NewQueue()
	}
	if err == nil {
		d.transfers, err = d.context.NewQueue()
	}
	if d.err = errors.Join(d.err, err); d.err != nil {
		return d.err
	}
	n, rows := len(p.order), int32(p.rows)
	d.value, d.average, d.moments = d.alloc(n), d.alloc(n), [2]*cl.Buffer{d.alloc(n), d.alloc(n)}
	d.result = d.alloc(p.rows*rowLosses + 1)
	d.points, d.sums = d.alloc(p.points), d.alloc(p.points)
	filters := p.filters / 9 * p.board.Points()
	d.filters, d.reversedFilters, d.reversed = d.alloc(filters), d.alloc(filters), d.alloc(len(p.reversed))
	d.layers = d.table(p.layers)
	heads, order := d.table(p.heads), d.table(p.reversed)

	d.unpack = d.inGroups(p.rows, "unpack", d.memory, p.input, p.layers[0].In, int32(p.cells), p.planes)
	d.loss = d.inGroups(p.rows, "losses", d.memory, heads, d.result, float32(c.OutcomeWeight), float32(c.OwnershipWeight), float32(c.ScoreWeight))
	d.eachShape(func(at, in, out int32, count int) {
		total := int32(count) * in * out
		d.forward = append(d.forward, d.each(int(total), 1, "filters", d.value, d.filters, d.reversedFilters, at, in, out, total))
	})
	for _, r := range p.forward {
		d.forward = append(d.forward, d.pass(r)...)
	}
	d.learns = []command{d.inGroups(groups, "gather", d.reversed, d.value, order, int32(len(p.reversed)))}
	for _, r := range p.backward {
		d.learns = append(d.learns, d.pass(r)...)
	}
	grad := d.gradients()
	squares := d.alloc(groups)
	d.learns = append(d.learns, d.inGroups(groups, "sum", d.parts, grad, squares, int32(batchParts), int32(p.filters), int32(n)))
	d.adam = d.inGroups(groups, "adam", d.value, d.moments[0], d.moments[1], grad, squares, d.result, rows*rowLosses,
		int32(n), int32(n-len(p.biases)), float32(c.Beta1), float32(c.Beta2), float32(c.Epsilon), float32(c.ClipNorm))
	d.follow = d.inGroups(groups, "average", d.average, d.value, int32(n))
	if d.err == nil {
		d.err = d.queue.Clear(d.memory)
	}
	return d.err
}

// eachShape calls f for the convolutions of each shape: the position of their weights, their
// channels and their number.
func (d *device) eachShape(f func(at, in, out int32, count int)) {
	stem := d.plan.layers[0]
	f(0, stem.In, stem.Out, 1)
	if d.plan.convs > 1 {
		l := d.plan.layers[1]
		f(l.Weight, l.In, l.Out, d.plan.convs-1)
	}
}

// pass returns the commands of a layer.
func (d *device) pass(r pass) []command {
	p, index, l := d.plan, int32(r.layer), d.plan.layers[r.layer]
	weights, filters := d.value, d.filters
	if r.backward {
		weights, filters = d.reversed, d.reversedFilters
	}
	switch {
	case r.pool != nil:
		return []command{d.inGroups(p.rows, "pool", d.memory, weights, d.value, d.layers, index, r.pool.from, int32(p.cells), r.pool.scale, r.pool.outScale)}
	case r.product == none:
		return []command{d.product(l, 1, d.memory, weights, d.memory, index)}
	}
	in, out := p.rows*p.board.Tiles*int(l.In), p.rows*p.board.Tiles*int(l.Out)
	return []command{
		d.each(in, 1, "toPoints", d.memory, d.points, d.layers, index, int32(in)),
		d.product(p.layers[r.product], p.board.Points(), d.points, filters, d.sums, int32(r.product)),
		d.each(out, 1, "toCells", d.memory, d.sums, d.value, d.layers, index, int32(out)),
	}
}

// product returns the command that multiplies the cells of a layer's inputs by weights, or each of
// several points.
func (d *device) product(l layer, points int, x, weights, y *cl.Buffer, index int32) command {
	cells, up := d.plan.rows*int(l.Cells), func(n, size int) int { return (n + size - 1) / size }
	global, local := []int{int(l.Out) / pad, up(cells, 4), points}, []int{1, 1, 1}
	if d.kind.tiled {
		global, local = []int{up(int(l.Out), d.kind.tile) * 16, up(cells, d.kind.tile) * 16, points}, []int{16, 16, 1}
	}
	return d.command("product", global, local, x, weights, d.value, y, d.layers, index, int32(d.plan.rows))
}

// gradients adds the commands that compute the gradients of the parameters, and returns the array
// of the gradient, which is complete once the parts are added.
func (d *device) gradients() *cl.Buffer {
	p := d.plan
	products, grad, tiles := d.alloc(p.filters/9*p.board.Points()), d.alloc(len(p.order)), d.table(p.tiles)
	rest := len(p.order) - p.filters
	d.parts = d.alloc(batchParts * rest)
	gradient := func(x, grad, to *cl.Buffer, from, end, slices, first, numbers int) {
		global, local := []int{end - from, slices}, []int{1, 1}
		if d.kind.tiled {
			global, local = []int{(end - from) * 16, slices * 16}, []int{16, 16}
		}
		d.learns = append(d.learns, d.command("gradient", global, local,
			x, grad, to, d.layers, tiles, int32(from), int32(p.rows), int32(slices), int32(first), int32(numbers)))
	}
	for _, c := range p.chunks {
		l := p.layers[c.first]
		in, out := p.rows*p.board.Tiles*int(l.In), p.rows*p.board.Tiles*int(l.Out)
		d.learns = append(d.learns,
			d.each(in, c.count, "toPoints", d.memory, d.points, d.layers, int32(c.first), int32(in)),
			d.each(out, c.count, "spread", d.memory, d.sums, d.layers, int32(c.first), int32(out)))
		gradient(d.points, d.sums, products, c.tiles, c.end, 1, 0, 0)
	}
	d.eachShape(func(at, in, out int32, count int) {
		total := int32(count) * in * out
		d.learns = append(d.learns, d.each(int(total), 1, "filterGradients", products, grad, at, in, out, total))
	})
	gradient(d.memory, d.memory, d.parts, p.others, len(p.tiles)/4, batchParts, p.filters, rest)
	return grad
}

// each returns a command with a work item for each of n numbers of each of count layers.
func (d *device) each(n, count int, name string, args ...any) command {
	const local = 128
	return d.command(name, []int{(n + local - 1) / local * local, count}, []int{local, 1}, args...)
}

// close frees everything.
func (d *device) close() {
	if d.queue != nil {
		d.queue.Finish()
	}
	for _, k := range d.kernels {
		k.Free()
	}
	for _, b := range d.buffers {
		b.Free()
	}
	d.program.Free()
	d.queue.Free()
	d.transfers.Free()
}

// run starts a command with more arguments.
func (d *device) run(c command, args ...any) {
	if d.err == nil {
		d.err = d.queue.Run(c.kernel, c.global, c.local, append(c.args[:len(c.args):len(c.args)], args...)...)
	}
}

// send sends a batch.
func (d *device) send(s *sentBatch, floats []float32, owners []int8) error {
	return errors.Join(d.transfers.Write(s.floats, cl.Bytes(floats)), d.transfers.Write(s.owners, cl.Bytes(owners)))
}

// measure starts the computation of a batch's losses.
func (d *device) measure(s *sentBatch) error {
	d.run(d.unpack, s.floats)
	for _, c := range d.forward {
		d.run(c)
	}
	d.run(d.loss, s.floats, s.owners, float32(1/s.total))
	return d.err
}

// learn starts a step.
func (d *device) learn(s *sentBatch, o *graph.Optimizer) error {
	if err := d.measure(s); err != nil {
		return err
	}
	for _, c := range d.learns {
		d.run(c)
	}
	d.run(d.adam, o.Rate, o.Keep, o.Inverse)
	if d.err == nil {
		d.err = d.queue.Flush()
	}
	return d.err
}

// losses waits for the losses of the batch and the norm of the gradient.
func (d *device) losses() ([]float32, error) {
	result := make([]float32, d.plan.rows*rowLosses+1)
	return result, d.queue.Read(cl.Bytes(result), d.result)
}
