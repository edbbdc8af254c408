package learner

import (
	"fmt"
	"slices"

	"tiro/net"
	"tiro/net/kernel"
)

// pad is the multiple to which the kernels pad channels.
const pad = 16

func padded(n int) int { return (n + pad - 1) / pad * pad }

// none is the position of an array that does not exist.
const none = -1

// layer is a layer as the kernels read it (learner.cl).
type layer struct {
	X, Y, Grad              int32
	Cells, Height, Width    int32
	Taps, In, Out           int32
	Weight, Bias            int32
	RowBias, Residual, Mask int32
	ReLU                    int32
}

// heads locates the logits and their targets for the kernels (learner.cl).
type heads struct {
	Planes, PlanesGrad, Cells, Width                 int32
	Outcome, OutcomeGrad, OutcomeWidth               int32
	PolicyPlanes, Outcomes, Ownership, Seats         int32
	PolicyTarget, OutcomeTarget, ScoreTarget, Weight int32
}

// pass is the run of a layer, forward or backward.
type pass struct {
	layer    int
	backward bool
	product  int   // for a convolution: the layer of its products; otherwise none
	pool     *pool // for a pooling layer
}

// pool is the run of a pooling layer on the sums over the cells of from.
type pool struct {
	from            int32
	scale, outScale float32
}

// chunk is a range of convolutions of the same shape whose gradients are computed together.
type chunk struct {
	first, count int // layers
	tiles, end   int // tiles of the products
}

// plan lays out a network for the kernels. The parameters are the weights of convolutions of 3x3,
// of other layers, and the biases.
type plan struct {
	rows, cells int
	planes      int32 // of observations
	board       kernel.Board
	tensors     map[string]tensor
	layers      []layer // the convolutions of 3x3 in their order, then others
	convs       int     // number of convolutions so far
	placed      int     // number of their weights so far
	direct      []int   // the other layers with parameters
	forward     []pass  // from the observations to the logits
	backward    []pass  // from the gradients with respect to the logits
	heads       heads

	input  int32 // position of the observations
	memory int   // number of activations and their gradients
	points int   // number of points of a chunk's inputs, and at most of its outputs

	chunks []chunk
	tiles  []int32 // tiles of gradients: of the chunks' products, then of other layers
	others int     // the first tile of other layers

	filters  int     // number of weights of convolutions, which come first
	order    []int32 // for each parameter its index in net.Weights.Flat, or none for padding
	biases   []int32 // likewise for the biases, which are appended at the end
	reversed []int32 // for each other weight of the backward pass its index among the parameters
}

// tensor is a tensor of the weights, which begins at index at.
type tensor struct{ at, out, size int }

// newPlan returns the plan for batches of the given number of rows.
func newPlan(w *net.Weights, rows int, k kind) *plan {
	spec, c := w.Spec, w.Config
	planes, channels := padded(spec.Planes), padded(c.Channels)
	p := &plan{
		rows: rows, cells: spec.Cells(), planes: int32(spec.Planes), board: kernel.NewBoard(spec.Height, spec.Width),
		tensors: map[string]tensor{}, layers: make([]layer, 1+2*c.Blocks), filters: 9 * channels * (planes + 2*c.Blocks*channels),
	}
	at := 0
	for _, t := range w.Tensors() {
		p.tensors[t.Name] = tensor{at, t.Shape[0], len(t.Data)}
		at += len(t.Data)
	}
	p.order = slices.Repeat([]int32{none}, p.filters)
	p.input = p.alloc(p.cells * planes)
	trunk := p.conv(p.input, planes, channels)
	p.place(&trunk, "stem.weight", "stem.bias", 0, 9, planes)
	p.run(trunk)
	var blocks [][]pass
	for i := range c.Blocks {
		blocks = append(blocks, p.block(fmt.Sprintf("block.%d.", i), &trunk, c.Pool))
	}
	p.finish(w, trunk)
	for _, back := range slices.Backward(blocks) {
		p.backward = append(p.backward, back...)
	}
	for i := range p.layers { // the biases come last
		if l := &p.layers[i]; l.Bias != none {
			l.Bias += int32(len(p.order))
		}
	}
	p.order = append(p.order, p.biases...)
	p.addChunks(k)
	return p
}

// alloc returns the position of an array of size numbers for each row.
func (p *plan) alloc(size int) int32 {
	at := p.memory
	p.memory += p.rows * size
	return int32(at)
}

// layer returns a layer on x with memory of its own, and without a bias.
func (p *plan) layer(x int32, cells, taps, in, out int) layer {
	return layer{
		X: x, Y: p.alloc(cells * out), Grad: p.alloc(cells * out),
		Cells: int32(cells), Height: int32(p.board.Height), Width: int32(p.board.Width), Taps: int32(taps), In: int32(in), Out: int32(out),
		Bias: none, RowBias: none, Residual: none, Mask: none,
	}
}

// conv returns a convolution of 3x3 on x, followed by a ReLU.
func (p *plan) conv(x int32, in, out int) layer {
	l := p.layer(x, p.cells, 9, in, out)
	l.Weight, l.ReLU = int32(p.placed), 1
	p.placed += 9 * in * out
	return l
}

// dense returns a layer on x that connects the channels of each cell.
func (p *plan) dense(x int32, cells, in, out int) layer {
	l := p.layer(x, cells, 1, in, out)
	l.Weight = int32(len(p.order))
	p.order = append(p.order, slices.Repeat([]int32{none}, in*out)...)
	return l
}

// place assigns the tensors weight [channels, a, b] and bias [channels], if it is not "", to the
// outputs of l beginning with first. On the device the weights are [b, width, Out].
func (p *plan) place(l *layer, weight, bias string, first, b, width int) {
	t, out := p.tensors[weight], int(l.Out)
	inputs := t.size / t.out
	for i := range t.size {
		o, k := i/inputs, i%inputs
		p.order[int(l.Weight)+(k%b*width+k/b)*out+first+o] = int32(t.at + i)
	}
	if bias == "" {
		return
	}
	if l.Bias == none {
		l.Bias = int32(len(p.biases))
		p.biases = append(p.biases, slices.Repeat([]int32{none}, out)...)
	}
	for o := range t.out {
		p.biases[int(l.Bias)+first+o] = int32(p.tensors[bias].at + o)
	}
}

// add adds a layer and returns its index.
func (p *plan) add(l layer) int {
	p.layers = append(p.layers, l)
	return len(p.layers) - 1
}

// products adds the layer that computes the products of the points of l, and returns its index. If
// l is not a convolution of 3x3, there is none.
func (p *plan) products(l layer) int {
	if l.Taps == 1 {
		return none
	}
	return p.add(layer{
		Cells: int32(p.board.Tiles), In: l.In, Out: l.Out, Weight: l.Weight / 9 * int32(p.board.Points()),
		Bias: none, RowBias: none, Residual: none, Mask: none,
	})
}

// run adds a layer with parameters to the forward pass.
func (p *plan) run(l layer) {
	index := p.convs
	if l.Taps == 1 {
		index = p.add(l)
		p.direct = append(p.direct, index)
	} else {
		p.layers[index] = l
		p.convs++
	}
	p.forward = append(p.forward, pass{layer: index, product: p.products(l)})
}

// reverse returns the layer that computes the gradient with respect to l's input to y.
func (p *plan) reverse(l layer, y int32) layer {
	r := l
	r.X, r.Y, r.In, r.Out = l.Grad, y, l.Out, l.In
	r.Bias, r.RowBias, r.Residual, r.Mask, r.ReLU = none, none, none, none, 0
	if l.Taps == 1 {
		r.Weight = int32(len(p.reversed))
		for o := range l.Out {
			for i := range l.In {
				p.reversed = append(p.reversed, l.Weight+i*l.Out+o)
			}
		}
	}
	return r
}

// back returns the run of a layer that reverse has returned.
func (p *plan) back(l layer) pass {
	return pass{layer: p.add(l), backward: true, product: p.products(l)}
}

// block adds a residual block to the forward pass, replaces trunk with its output, and returns its
// backward pass.
func (p *plan) block(name string, trunk *layer, pooled bool) []pass {
	channels, x := int(trunk.Out), *trunk
	first := p.conv(x.Y, channels, channels)
	second := p.conv(first.Y, channels, channels)
	second.Residual = x.Y
	byBranch, byX := p.reverse(second, first.Grad), p.reverse(first, x.Grad)
	byBranch.Mask, byX.Mask, byX.Residual = first.Y, x.Y, second.Grad
	back, bias := []pass{p.back(byBranch)}, name+"conv1.bias"
	if pooled {
		mean := p.dense(p.alloc(channels), 1, channels, channels)
		p.place(&mean, name+"pool.weight", bias, 0, 1, channels) // adds the bias instead of conv1
		p.run(mean)
		p.forward[len(p.forward)-1].pool = &pool{x.Y, 1 / float32(p.cells), 1}
		byMean := p.back(p.reverse(mean, p.alloc(channels)))
		byMean.pool = &pool{first.Grad, 1, 1 / float32(p.cells)}
		back = append(back, byMean)
		bias, first.RowBias, byX.RowBias = "", mean.Y, p.layers[byMean.layer].Y
	}
	p.place(&first, name+"conv1.weight", bias, 0, 9, channels)
	p.run(first)
	p.place(&second, name+"conv2.weight", name+"conv2.bias", 0, 9, channels)
	p.run(second)
	*trunk = second
	return append(back, p.back(byX))
}

// finish adds the heads and their backward pass.
func (p *plan) finish(w *net.Weights, trunk layer) {
	spec, channels := w.Spec, int(trunk.Out)
	ownership, seats := w.Config.OwnershipPlanes(spec)
	planes := p.dense(trunk.Y, p.cells, channels, padded(spec.PolicyPlanes+ownership+seats))
	p.place(&planes, "policy.weight", "policy.bias", 0, 1, channels)
	if ownership > 0 {
		p.place(&planes, "ownership.weight", "ownership.bias", spec.PolicyPlanes, 1, channels)
	}
	p.run(planes)
	width := padded(w.Config.OutcomeChannels)
	reader := p.dense(trunk.Y, p.cells, channels, width)
	reader.ReLU = 1
	p.place(&reader, "outcome.conv.weight", "outcome.conv.bias", 0, 1, channels)
	p.run(reader)
	byPlanes, byReader := p.reverse(planes, trunk.Grad), p.reverse(reader, trunk.Grad)
	byReader.Residual, byReader.Mask = trunk.Grad, trunk.Y
	p.backward = []pass{p.back(byPlanes), p.back(byReader)}
	before, in, cells := reader, p.cells*width, p.cells // features of a row are [cells, width]
	addDense := func(name string, out int, relu int32) {
		l := p.dense(before.Y, 1, in, padded(out))
		l.ReLU = relu
		p.place(&l, name+".weight", name+".bias", 0, cells, in/cells)
		p.run(l)
		back := p.reverse(l, before.Grad)
		back.Mask = before.Y
		p.backward = slices.Insert(p.backward, 0, p.back(back))
		before, in, cells = l, padded(out), 1
	}
	if w.Config.Hidden > 0 {
		addDense("outcome.hidden", w.Config.Hidden, 1)
	}
	addDense("outcome.out", spec.Outcomes(), 0)
	p.heads = heads{
		Planes: planes.Y, PlanesGrad: planes.Grad, Cells: int32(p.cells), Width: planes.Out,
		Outcome: before.Y, OutcomeGrad: before.Grad, OutcomeWidth: before.Out,
		PolicyPlanes: int32(spec.PolicyPlanes), Outcomes: int32(spec.Outcomes()), Ownership: int32(ownership), Seats: int32(seats),
	}
}

// addChunks divides the convolutions of 3x3 into chunks, and adds the layers and tiles of the
// gradients of all weights.
func (p *plan) addChunks(k kind) {
	points := p.board.Points()
	for first := 0; first < p.convs; {
		l := p.layers[first]
		in, out := p.rows*p.board.Tiles*int(l.In), p.rows*p.board.Tiles*int(l.Out)
		c := chunk{first: first, count: 1, tiles: len(p.tiles) / 4}
		if first > 0 {
			c.count = min(p.convs-first, max(1, k.chunk/(points*out)))
		}
		p.points = max(p.points, c.count*points*max(in, out))
		for i := range c.count * points {
			at := p.products(p.layers[first+i/points])
			g := &p.layers[at]
			g.X, g.Grad, g.Weight = int32(i*in), int32(i*out), g.Weight+int32(i%points)*l.In*l.Out
			p.tile(at, k.tile)
		}
		c.end = len(p.tiles) / 4
		p.chunks = append(p.chunks, c)
		first += c.count
	}
	p.others = len(p.tiles) / 4
	for _, i := range p.direct {
		p.tile(i, k.tile)
	}
	for i, l := range p.layers[:p.convs] {
		for output := int32(0); output < l.Out && l.Bias != none; output += int32(k.tile) {
			p.tiles = append(p.tiles, int32(i), l.In, output, 1) // the bias only
		}
	}
}

// tile adds the tiles of a layer's gradient.
func (p *plan) tile(index, size int) {
	l := p.layers[index]
	for input := int32(0); input < l.In; input += int32(size) {
		for output := int32(0); output < l.Out; output += int32(size) {
			bias := int32(0)
			if input == 0 && l.Bias != none {
				bias = 1
			}
			p.tiles = append(p.tiles, int32(index), input, output, bias)
		}
	}
}

// pack returns the parameters in the device's order.
func (p *plan) pack(flat []float32) []float32 {
	packed := make([]float32, len(p.order))
	for i, from := range p.order {
		if from != none && int(from) < len(flat) {
			packed[i] = flat[from]
		}
	}
	return packed
}

// unpack writes the parameters to flat, which may lack the last ones.
func (p *plan) unpack(flat, packed []float32) {
	for i, to := range p.order {
		if to != none && int(to) < len(flat) {
			flat[to] = packed[i]
		}
	}
}
