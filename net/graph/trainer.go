package graph

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"

	"gorgonia.org/gorgonia"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
)

// Batch is the memory for the samples of a step, one per row. The caller fills all of it.
type Batch struct {
	// X has the observations, [rows, planes, height, width].
	X []float32
	// Policy has the target probability of each action, [rows, actions]. A negative number marks
	// an illegal action, which is excluded from the row's softmax, as in play. A row without
	// positive numbers has no policy target.
	Policy []float32
	// Outcome has the target probability of each result, [rows, players+1]: a win of the viewer,
	// a win of each following seat in turn, and a draw.
	Outcome []float32
	// Ownership has the owner class of each cell, [rows, height, width], or a negative number for
	// no target. It is nil without the ownership head.
	Ownership []int8
	// Score has the final score of each seat, [rows, players], -1 to 1, the viewer's first and
	// the following seats' in turn; all NaN if unknown. It is nil without the ownership head.
	Score []float32
	// Weight has the weight of each row in the loss, which is a weighted mean, [rows]. Weights
	// must be at least 0, and not all 0.
	Weight []float32
}

// Total returns the total weight of the rows.
func (b *Batch) Total() (float64, error) {
	total := 0.0
	for i, w := range b.Weight {
		if w < 0 {
			return 0, fmt.Errorf("graph: the weight of row %d is %v but must be at least 0", i, w)
		}
		total += float64(w)
	}
	if !(total > 0) {
		return 0, errors.New("graph: the weights of all rows are 0, but at least one must be positive")
	}
	return total, nil
}

// Loss is the loss of a batch before the step that learns from it.
type Loss struct {
	// Weighted means over the rows. Ownership and Score are 0 without the ownership head.
	Policy        float64 // cross-entropy of the policy, nats
	PolicyEntropy float64 // entropy of the policy's targets: Policy minus this is KL(target‖network)
	Outcome       float64 // cross-entropy of the outcome, nats
	Ownership     float64 // cross-entropy of a cell's owner, nats
	Score         float64 // Huber loss of a seat's score

	GradNorm float64 // Euclidean norm of the whole gradient, before clipping
}

// Trainer trains weights on batches of a fixed number of rows. It is for one goroutine.
type Trainer struct {
	*network
	config     Config
	weights    *net.Weights
	batch      Batch
	total      float64 // total weight of the batch
	learn      gorgonia.VM
	measure    gorgonia.VM // forward only
	optimizer  *Optimizer
	logitGrads []float32 // [rows, classes]
	parts      []part

	policy, outcome *crossEntropy
	ownership       *ownershipLoss // nil, like score, without the ownership head
	score           *scoreLoss
	losses          []headLoss // all heads' losses
}

// part is a part of a tensor that one worker updates at a time.
type part struct {
	from, to int
	decay    bool
	norm     float64 // squared norm of the gradient
}

// partSize is the largest size of a part in elements.
const partSize = 1 << 13

// Options configure the computations of a Trainer. The bits of its results depend only on Backend
// and Rows.
type Options struct {
	Backend kernel.Backend // such as kernel.Best()
	Rows    int            // rows per batch
	Threads int            // number of goroutines; 0: runtime.GOMAXPROCS(0)
}

// threads returns the number of goroutines.
func (o Options) threads() int { return cmp.Or(o.Threads, runtime.GOMAXPROCS(0)) }

// New returns a trainer that updates w in place. The graph uses w's memory, so that w must not be
// read during a Step.
func New(w *net.Weights, c Config, o Options) (*Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	if o.Rows < 1 {
		return nil, fmt.Errorf("graph: a batch of %d rows, but at least 1 is required", o.Rows)
	}
	t := newTrainer(w.Spec, w.Config, w.Tensors(), c, o)
	t.weights = w
	at := 0
	for _, p := range t.params {
		for end := at + len(p.Data); at < end; {
			to := min(at+partSize, end)
			t.parts = append(t.parts, part{from: at, to: to, decay: len(p.Shape) > 1})
			at = to
		}
	}
	return t, t.build()
}

// Bytes estimates the memory of a Trainer without the weights, in bytes.
func Bytes(spec env.Spec, n net.Config, o Options) int64 {
	batch := o.Rows
	copies := 3                                   // gradients and both moments
	copies += (batch + shardRows - 1) / shardRows // each shard's gradients
	copies += 2 * net.PackedCopies                // packed for the forward and the backward pass
	pad := kernel.Pad
	ownership, score := n.OwnershipPlanes(spec)
	logits := spec.PolicyPlanes + ownership + score
	cell := (2+4*n.Blocks)*pad(n.Channels) + spec.Planes + pad(spec.Planes) + pad(spec.PolicyPlanes) + pad(ownership+score) + 4*pad(n.OutcomeChannels) + 3*logits
	worker := 5000 * pad(n.Channels) // tiles
	const floatBytes = 4
	return floatBytes * int64(copies*n.Parameters(spec)+batch*spec.Cells()*cell+o.threads()*worker)
}

// newTrainer returns a trainer without its graph.
func newTrainer(spec env.Spec, n net.Config, tensors []net.Tensor, c Config, o Options) *Trainer {
	batch := o.Rows
	buffer := func(size int) []float32 { return make([]float32, batch*size) }
	t := &Trainer{
		config: c, optimizer: NewOptimizer(c, n.Parameters(spec)),
		batch: Batch{
			X: buffer(spec.Inputs()), Policy: buffer(spec.Actions()),
			Outcome: buffer(spec.Outcomes()), Weight: buffer(1),
		},
		logitGrads: buffer(classes(spec, n)),
	}
	workers := newWorkerPool(o, max(spec.Actions(), spec.Outcomes()))
	t.network = newNetwork(workers, spec, n, tensors, t.batch.X, t.logitGrads)
	loss := func(first, count int, scale float64) head {
		return head{
			first: first, count: count, network: t.network, logitGrads: t.logitGrads, scale: scale,
			losses: make([]float64, batch),
		}
	}
	actions, logits, cells := spec.Actions(), spec.Actions()+spec.Outcomes(), spec.Cells()
	t.policy = &crossEntropy{loss(0, actions, 1), t.batch.Policy, make([]float64, batch), 0}
	t.outcome = &crossEntropy{loss(actions, spec.Outcomes(), c.OutcomeWeight), t.batch.Outcome, make([]float64, batch), 0}
	t.losses = []headLoss{t.policy, t.outcome}
	if ownership, seats := n.OwnershipPlanes(spec); ownership > 0 {
		t.batch.Ownership, t.batch.Score = make([]int8, batch*cells), buffer(seats)
		t.ownership = &ownershipLoss{loss(logits, ownership*cells, c.OwnershipWeight), ownership, cells, t.batch.Ownership}
		t.score = &scoreLoss{loss(logits+ownership*cells, seats*cells, c.ScoreWeight), seats, cells, t.batch.Score}
		t.losses = append(t.losses, t.ownership, t.score)
	}
	return t
}

// build makes the graph, lets Gorgonia differentiate it, and compiles it for the tape machine,
// once completely and once without gradients.
func (t *Trainer) build() error {
	spec := t.weights.Spec
	b := &builder{graph: gorgonia.NewGraph()}
	x := b.input("x", t.batch.X, t.workers.rows, spec.Planes, spec.Height, spec.Width)
	logits := b.network(t.network, x)
	computeLosses := func() { t.steps = append(t.steps, step{pass: t.computeLosses}) }
	logitGrads := b.apply(&op{name: "logits.grad", value: tensorOf(t.logitGrads, len(t.logitGrads)), run: computeLosses}, logits)
	if b.err != nil {
		return b.err
	}
	var params gorgonia.Nodes
	for _, p := range t.params {
		params = append(params, p.node)
	}
	grads, err := gorgonia.Backpropagate(gorgonia.Nodes{logits}, gorgonia.Nodes{logitGrads}, params)
	if err != nil {
		return fmt.Errorf("graph: differentiate: %w", err)
	}
	inputs := append(gorgonia.Nodes{x}, params...)
	for _, m := range []struct {
		machine *gorgonia.VM
		outputs gorgonia.Nodes
	}{{&t.learn, grads}, {&t.measure, gorgonia.Nodes{logitGrads}}} {
		program, registers, err := gorgonia.CompileFunction(b.graph, inputs, m.outputs)
		if err != nil {
			return fmt.Errorf("graph: compile: %w", err)
		}
		machine := gorgonia.NewTapeMachine(b.graph, gorgonia.WithPrecompiled(program, registers))
		// The machine's finalizer is for CUDA. Machine and graph refer to each other, and such a
		// cycle with a finalizer would never be freed.
		runtime.SetFinalizer(machine, nil)
		*m.machine = machine
	}
	return nil
}

// computeLosses computes the losses of the rows of a window and their gradient with respect to
// the logits.
func (t *Trainer) computeLosses(w *worker, v window) {
	for r := v.row(); r < v.row()+v.count; r++ {
		for _, l := range t.losses {
			l.row(w, r, float64(t.batch.Weight[r])/t.total)
		}
	}
}

// Threads returns the number of goroutines that compute.
func (t *Trainer) Threads() int { return len(t.workers.all) }

// Batch returns the memory of the next Step's batch, for the caller to fill.
func (t *Trainer) Batch() *Batch { return &t.batch }

// Step updates the weights with one step on the batch at the given learning rate, and returns the
// loss before the step. On error, such as a loss that is not finite, the weights are unchanged.
func (t *Trainer) Step(learningRate float64) (Loss, error) {
	loss, err := t.run(t.learn)
	if err != nil {
		return Loss{}, err
	}
	loss.GradNorm = t.norm()
	if err := loss.Check(); err != nil {
		return Loss{}, err
	}
	scale := float32(1)
	if limit := t.config.ClipNorm; limit > 0 && loss.GradNorm > limit {
		scale = float32(limit / loss.GradNorm)
	}
	t.optimizer.Begin(learningRate, scale)
	values := t.weights.Flat()
	t.workers.do(len(t.parts), func(_ *worker, i int) {
		p := t.parts[i]
		t.optimizer.move(p.from, values[p.from:p.to], t.grads[p.from:p.to], p.decay)
	})
	return loss, nil
}

// Average moves mean, a moving average of the weights or of the first of them, a fraction of the
// way to the weights. It returns no error.
func (t *Trainer) Average(mean *net.Weights, fraction float32) error {
	all, newest := mean.Flat(), t.weights.Flat()
	t.workers.do((len(all)+partSize-1)/partSize, func(_ *worker, i int) {
		part := all[i*partSize : min((i+1)*partSize, len(all))]
		for k, x := range newest[i*partSize:][:len(part)] {
			part[k] += float32(fraction * (x - part[k]))
		}
	})
	return nil
}

// Measure returns the loss of the batch, without the norm of the gradient, and does not change
// the weights. It is meant for validation.
func (t *Trainer) Measure() (Loss, error) {
	loss, err := t.run(t.measure)
	if err != nil {
		return Loss{}, err
	}
	return loss, loss.Check()
}

// run computes the losses and, if the machine has the operators for it, the gradients. The machine
// calls the operators in order, which register their passes for compute.
func (t *Trainer) run(machine gorgonia.VM) (Loss, error) {
	var err error
	if t.total, err = t.batch.Total(); err != nil {
		return Loss{}, err
	}
	t.pack()
	t.steps, t.learns = t.steps[:0], t.learns[:0]
	err = machine.RunAll()
	machine.Reset()
	if err != nil {
		return Loss{}, fmt.Errorf("graph: run: %w", err)
	}
	t.compute()
	for _, l := range t.losses {
		l.mean(t.batch.Weight, t.total)
	}
	loss := Loss{Policy: t.policy.loss, PolicyEntropy: t.policy.entropy, Outcome: t.outcome.loss}
	if t.ownership != nil {
		loss.Ownership, loss.Score = t.ownership.loss, t.score.loss
	}
	return loss, nil
}

// norm returns the Euclidean norm of the gradient, summed part by part.
func (t *Trainer) norm() float64 {
	t.workers.do(len(t.parts), func(_ *worker, i int) {
		p, sum := &t.parts[i], 0.0
		for _, g := range t.grads[p.from:p.to] {
			sum += float64(float64(g) * float64(g))
		}
		p.norm = sum
	})
	sum := 0.0
	for _, p := range t.parts {
		sum += p.norm
	}
	return math.Sqrt(sum)
}

// Check returns an error if the loss is not finite.
func (l Loss) Check() error {
	if x := l.Policy + l.Outcome + l.Ownership + l.Score + l.GradNorm; math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("graph: the loss is not finite (policy %v, outcome %v, gradient %v): a lower learning rate may help",
			l.Policy, l.Outcome, l.GradNorm)
	}
	return nil
}

// OptimizerState returns a copy of the optimizer's state. With it and the weights, a new Trainer
// continues exactly as this one would.
func (t *Trainer) OptimizerState() []net.Tensor { return t.optimizer.State(t.weights.Tensors()) }

// SetOptimizerState restores a state that OptimizerState of a trainer for the same network has
// returned. On error the state is unchanged.
func (t *Trainer) SetOptimizerState(state []net.Tensor) error {
	return t.optimizer.SetState(state, t.weights.Tensors())
}
