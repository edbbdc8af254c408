package net

import (
	"fmt"

	"tiro/env"
	"tiro/net/kernel"
)

// Model is a network packed for inference. It is immutable and safe for concurrent use by several
// Plans.
type Model struct {
	spec    env.Spec // of the game of the training
	config  Config
	backend kernel.Backend

	stem    kernel.Conv
	blocks  []block
	heads   kernel.Conv // policy planes, then the outcome head's channels
	hidden  *kernel.Conv
	outcome kernel.Conv
}

// block is a packed residual block.
type block struct {
	first, second kernel.Conv
	pool          *kernel.Conv // for the means over the board, with the bias of first; nil without pooling
}

// Compile packs weights for a backend, such as kernel.Best(). Later changes of w do not affect
// the model.
func Compile(backend kernel.Backend, w *Weights) *Model {
	spec, channels := w.Spec, w.Config.Channels
	board := kernel.NewGrid(spec.Height, spec.Width, 3)
	cell := kernel.NewGrid(1, 1, 1)
	m := &Model{spec: w.Spec, config: w.Config, backend: backend}
	pack := func(to *kernel.Weights, first int, name, bias string) {
		to.Pack(first, w.Tensor(name+".weight"), w.Tensor(bias+".bias"))
	}
	layer := func(grid *kernel.Grid, in, out int, relu bool, name, bias string) kernel.Conv {
		packed := backend.NewWeights(grid, in, out)
		pack(packed, 0, name, bias)
		return kernel.Conv{Grid: grid, Weights: packed, ReLU: relu}
	}
	m.stem = layer(board, spec.Planes, channels, true, "stem", "stem")
	for i := range w.Config.Blocks {
		name := fmt.Sprintf("block.%d.", i)
		b := block{
			first:  layer(board, channels, channels, true, name+"conv1", name+"conv1"),
			second: layer(board, channels, channels, true, name+"conv2", name+"conv2"),
		}
		if w.Config.Pool {
			pool := layer(cell, channels, channels, false, name+"pool", name+"conv1")
			b.pool = &pool
		}
		m.blocks = append(m.blocks, b)
	}
	pointwise := kernel.NewGrid(spec.Height, spec.Width, 1)
	heads := backend.NewWeights(pointwise, channels, spec.PolicyPlanes+w.Config.OutcomeChannels)
	pack(heads, 0, "policy", "policy")
	pack(heads, spec.PolicyPlanes, "outcome.conv", "outcome.conv")
	m.heads = kernel.Conv{Grid: pointwise, Weights: heads}
	features := w.Config.OutcomeChannels * spec.Cells()
	if w.Config.Hidden > 0 {
		hidden := layer(cell, features, w.Config.Hidden, true, "outcome.hidden", "outcome.hidden")
		m.hidden, features = &hidden, w.Config.Hidden
	}
	m.outcome = layer(cell, features, spec.Outcomes(), false, "outcome.out", "outcome.out")
	return m
}

// Spec returns the spec of the game that the network was trained for.
func (m *Model) Spec() env.Spec { return m.spec }

// Config returns the configuration of the network.
func (m *Model) Config() Config { return m.config }

// blockBytes bounds the activations of the positions that pass through the layers together. With
// the kernels' workspace and the weights, they fit in a core's second-level cache (0.5 to 2 MiB
// on current CPUs).
const blockBytes = 256 << 10

// planRows returns the largest number of positions that pass through the layers together.
func planRows(channels, cells int) int { return max(blockBytes/(2*4*channels*cells)/12*12, 12) }

// Plan runs a model. It is for one goroutine and does not allocate.
type Plan struct {
	model  *Model
	worker *kernel.Worker
	rows   int // largest number of positions that pass through all layers together

	input    []float32 // [cells, rows, Pad(planes)]
	trunk    []float32 // [cells, rows, Pad(channels)]
	branch   []float32 // likewise, within a block
	mean     []float32 // mean of the trunk over the board, [rows, Pad(channels)]
	bias     []float32 // output of the pooling, [rows, Pad(channels)]
	heads    []float32 // [cells, rows, Pad(policy planes + outcome channels)]
	features []float32 // [rows, Pad(outcome channels * cells)]
	hidden   []float32 // [rows, Pad(hidden)]
	outcome  []float32 // [rows, Pad(outcomes)]
}

// NewPlan returns a plan with memory for maxRows positions at once. Run accepts any number.
func (m *Model) NewPlan(maxRows int) *Plan {
	channels, cells := kernel.Pad(m.config.Channels), m.spec.Cells()
	rows := max(min(planRows(channels, cells), maxRows), 1)
	buffer := func(n int) []float32 { return make([]float32, rows*n) }
	return &Plan{
		model: m, worker: kernel.NewWorker(m.backend), rows: rows,
		input:    buffer(cells * kernel.Pad(m.spec.Planes)),
		trunk:    buffer(cells * channels),
		branch:   buffer(cells * channels),
		mean:     buffer(channels),
		bias:     buffer(channels),
		heads:    buffer(cells * kernel.Pad(m.heads.Weights.Out)),
		features: buffer(kernel.Pad(m.config.OutcomeChannels * cells)),
		hidden:   buffer(kernel.Pad(m.config.Hidden)),
		outcome:  buffer(kernel.Pad(m.spec.Outcomes())),
	}
}

// Run evaluates rows positions x [rows, Planes, Height, Width]. It writes logits to policy [rows,
// Actions] and outcome [rows, Players+1]. The result for a position is the same to the bit,
// whatever the number of rows, its place among them and the plan.
func (p *Plan) Run(rows int, x, policy, outcome []float32) {
	spec := &p.model.spec
	inputs, actions, outcomes := spec.Inputs(), spec.Actions(), spec.Outcomes()
	for done := 0; done < rows; {
		n := kernel.EvenPart(rows-done, p.rows)
		p.trunkRows(n, x[done*inputs:(done+n)*inputs])
		p.headRows(n, policy[done*actions:(done+n)*actions], outcome[done*outcomes:(done+n)*outcomes])
		done += n
	}
}

// trunkRows runs the stem and the blocks.
func (p *Plan) trunkRows(n int, x []float32) {
	m, w := p.model, p.worker
	cells := m.spec.Cells()
	kernel.Pack(p.input, x, n, n, m.spec.Planes, cells, m.spec.Inputs())
	w.Conv(&m.stem, &kernel.Call{Rows: n, Src: p.input, Dst: p.trunk})
	for i := range m.blocks {
		b := &m.blocks[i]
		first := kernel.Call{Rows: n, Src: p.trunk, Dst: p.branch}
		if b.pool != nil {
			size := n * kernel.Pad(m.config.Channels)
			w.SumCells(p.mean[:size], p.trunk[:cells*size], cells, size, 1/float32(cells))
			w.Conv(b.pool, &kernel.Call{Rows: n, Src: p.mean, Dst: p.bias})
			first.RowBias = p.bias
		}
		w.Conv(&b.first, &first)
		w.Conv(&b.second, &kernel.Call{Rows: n, Src: p.branch, Dst: p.trunk, Residual: p.trunk})
	}
}

// headRows runs the heads on the trunk.
func (p *Plan) headRows(n int, policy, outcome []float32) {
	m, w := p.model, p.worker
	w.Conv(&m.heads, &kernel.Call{Rows: n, Src: p.trunk, Dst: p.heads})
	spec, width, channels := &m.spec, kernel.Pad(m.heads.Weights.Out), m.config.OutcomeChannels
	kernel.Unpack(policy, p.heads, n, n, width, 0, spec.PolicyPlanes, spec.Cells(), spec.Actions())
	features := kernel.Pad(channels * spec.Cells())
	kernel.Unpack(p.features, p.heads, n, n, width, spec.PolicyPlanes, channels, spec.Cells(), features)
	for i, v := range p.features[:n*features] {
		p.features[i] = max(v, 0)
	}
	last := p.features
	if m.hidden != nil {
		w.Conv(m.hidden, &kernel.Call{Rows: n, Src: last, Dst: p.hidden})
		last = p.hidden
	}
	w.Conv(&m.outcome, &kernel.Call{Rows: n, Src: last, Dst: p.outcome})
	outcomes := spec.Outcomes()
	padded := kernel.Pad(outcomes)
	for r := range n {
		copy(outcome[r*outcomes:(r+1)*outcomes], p.outcome[r*padded:])
	}
}
