package learner

import (
	"cmp"
	"fmt"
	"runtime"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/opencl/cl"
)

// Options configure a Trainer.
type Options struct {
	Rows    int // rows per batch
	Threads int // goroutines that fill a batch; 0: runtime.GOMAXPROCS(0)
}

// Trainer trains weights on batches of a fixed number of rows. It is for one goroutine. After an
// error of the device it can only be closed.
type Trainer struct {
	weights   *net.Weights
	average   *net.Weights // of Average; nil without one
	optimizer *graph.Optimizer
	threads   int
	plan      *plan
	device    *device
	loaded    bool // whether the device has the parameters

	batch  graph.Batch
	floats []float32    // memory of the batch: X, Policy, Outcome, Score and Weight
	sets   [2]sentBatch // used in turn
	turn   int          // of the next step
}

// sentBatch is the device's memory of a batch.
type sentBatch struct {
	floats, owners *cl.Buffer
	sent           bool
	weights        []float32 // of the rows
	total          float64   // total weight
	err            error     // fault of the batch
}

// New returns a trainer of w, after a test of the device. The error is cl.ErrMemory if the device
// has too little memory, and opencl.ErrWrong if it computes wrong gradients.
func New(ctx *cl.Context, w *net.Weights, c graph.Config, o Options) (*Trainer, error) {
	t, err := newTrainer(ctx, w, c, o, kindOf(&ctx.Device))
	if err != nil {
		return nil, err
	}
	if err := test(ctx, w.Spec, w.Config.Ownership); err != nil {
		t.Close()
		return nil, t.fault(err)
	}
	return t, nil
}

func newTrainer(ctx *cl.Context, w *net.Weights, c graph.Config, o Options, k kind) (*Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	if o.Rows < 1 {
		return nil, fmt.Errorf("learner: a batch of %d rows, but at least 1 is required", o.Rows)
	}
	t := &Trainer{
		weights: w, optimizer: graph.NewOptimizer(c, w.Parameters()),
		threads: cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), plan: newPlan(w, o.Rows, k),
	}
	t.device = &device{context: ctx, kind: k, plan: t.plan}
	if t.device.memory = t.device.alloc(t.plan.memory); t.device.err != nil {
		return nil, t.fault(t.device.err)
	}
	t.makeBatch()
	for i := range t.sets {
		s := &t.sets[i]
		s.floats, s.owners, s.weights = t.device.alloc(len(t.floats)), t.device.alloc(len(t.batch.Ownership)/4+1), make([]float32, o.Rows)
	}
	if err := t.device.build(c); err != nil {
		t.device.close()
		return nil, t.fault(err)
	}
	return t, nil
}

// fault adds the device to an error.
func (t *Trainer) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("learner: device %s: batches of %d rows: %w", t.device.context.Device.Name, t.plan.rows, err)
}

// Bytes estimates the memory of a Trainer in this process, without the device's memory and the
// weights, in bytes.
func Bytes(spec env.Spec, n net.Config, rows int) int64 {
	_, seats := n.OwnershipPlanes(spec)
	batch := rows * (spec.Inputs() + spec.Actions() + spec.Outcomes() + seats + spec.Cells() + 2)
	const copies = 8 // moments, positions of the parameters, and numbers on their way to the device
	return 4 * int64(batch+copies*n.Parameters(spec))
}

// Close frees the memory of the device.
func (t *Trainer) Close() { t.device.close() }

// makeBatch allocates the batch and locates its targets.
func (t *Trainer) makeBatch() {
	spec, h, b, at := t.weights.Spec, &t.plan.heads, &t.batch, 0
	parts := []struct {
		position *int32
		to       *[]float32
		size     int // of a row
	}{
		{new(int32), &b.X, spec.Inputs()},
		{&h.PolicyTarget, &b.Policy, spec.Actions()},
		{&h.OutcomeTarget, &b.Outcome, spec.Outcomes()},
		{&h.ScoreTarget, &b.Score, int(h.Seats)},
		{&h.Weight, &b.Weight, 1},
	}
	for _, p := range parts {
		*p.position = int32(at)
		at += t.plan.rows * p.size
	}
	t.floats = make([]float32, at)
	for _, p := range parts {
		from, to := int(*p.position), int(*p.position)+t.plan.rows*p.size
		if to > from {
			*p.to = t.floats[from:to:to]
		}
	}
	if h.Ownership > 0 {
		b.Ownership = make([]int8, t.plan.rows*spec.Cells())
	}
}

// Threads returns the number of goroutines that fill a batch.
func (t *Trainer) Threads() int { return t.threads }

// Batch returns the memory of the next batch, for the caller to fill.
func (t *Trainer) Batch() *graph.Batch { return &t.batch }

// send sends the batch to the device. The device may be computing a step meanwhile. A fault of the
// batch is an error of the step on it.
func (t *Trainer) send() error {
	s := &t.sets[t.turn]
	s.sent = true
	if s.total, s.err = t.batch.Total(); s.err != nil {
		return nil
	}
	copy(s.weights, t.batch.Weight)
	return t.device.send(s, t.floats, t.batch.Ownership)
}

// array is an array of numbers, one for each parameter, in this process and on the device.
type array struct {
	buffer *cl.Buffer
	values []float32
}

// arrays returns the weights and the moments.
func (t *Trainer) arrays() []array {
	d, moments := t.device, t.optimizer.Moments
	return []array{{d.value, t.weights.Flat()}, {d.moments[0], moments[0].Values}, {d.moments[1], moments[1].Values}}
}

// begin returns the batch of a step, and loads the parameters before the first step.
func (t *Trainer) begin() (*sentBatch, error) {
	if !t.loaded {
		for _, x := range t.arrays() {
			if err := t.device.queue.Write(x.buffer, cl.Bytes(t.plan.pack(x.values))); err != nil {
				return nil, err
			}
		}
		t.loaded = true
	}
	s := &t.sets[t.turn]
	if !s.sent {
		if err := t.send(); err != nil {
			return nil, err
		}
	}
	s.sent, t.turn = false, 1-t.turn
	return s, nil
}

// Step updates the weights on the device with one step on the batch at the given learning rate, and
// returns the loss before the step. On error, such as a loss that is not finite, the weights are
// unchanged. Unless it is nil, next is called while the device computes, to fill the batch of the
// next step.
func (t *Trainer) Step(rate float64, next func()) (graph.Loss, error) {
	before := *t.optimizer
	t.optimizer.Begin(rate, 1)
	loss, err := t.run(next, func(s *sentBatch) error { return t.device.learn(s, t.optimizer) })
	if err == nil {
		err = loss.Check()
	}
	if err != nil {
		*t.optimizer = before
		return graph.Loss{}, err
	}
	return loss, nil
}

// Measure returns the loss of the batch, without the norm of the gradient.
func (t *Trainer) Measure() (graph.Loss, error) {
	loss, err := t.run(nil, t.device.measure)
	if err != nil {
		return graph.Loss{}, err
	}
	loss.GradNorm = 0
	return loss, loss.Check()
}

// run starts commands on the batch, calls next while they run, and returns the loss.
func (t *Trainer) run(next func(), start func(s *sentBatch) error) (graph.Loss, error) {
	s, err := t.begin()
	if err == nil {
		if s.err != nil {
			return graph.Loss{}, fmt.Errorf("learner: %w", s.err)
		}
		err = start(s)
	}
	if err == nil && next != nil {
		next()
		err = t.send()
	}
	var losses []float32
	if err == nil {
		losses, err = t.device.losses()
	}
	if err != nil {
		return graph.Loss{}, t.fault(err)
	}
	loss := graph.Loss{GradNorm: float64(losses[len(losses)-1])}
	for r, w := range s.weights {
		for i, to := range []*float64{&loss.Policy, &loss.PolicyEntropy, &loss.Outcome, &loss.Ownership, &loss.Score} {
			*to += float64(float64(w) / s.total * float64(losses[r*rowLosses+i]))
		}
	}
	return loss, nil
}

// Average moves mean, the moving average of the weights or of the first of them, a fraction of the
// way to the weights. It must be the same at every call.
func (t *Trainer) Average(mean *net.Weights, fraction float32) error {
	if t.average != mean {
		t.average = mean
		if err := t.device.queue.Write(t.device.average, cl.Bytes(t.plan.pack(mean.Flat()))); err != nil {
			return t.fault(err)
		}
	}
	t.device.run(t.device.follow, fraction)
	return t.fault(t.device.err)
}

// Sync brings the weights, their average and OptimizerState up to date.
func (t *Trainer) Sync() error {
	if !t.loaded {
		return nil
	}
	all := t.arrays()
	if t.average != nil {
		all = append(all, array{t.device.average, t.average.Flat()})
	}
	for _, x := range all {
		packed := make([]float32, len(t.plan.order))
		if err := t.device.queue.Read(cl.Bytes(packed), x.buffer); err != nil {
			return t.fault(err)
		}
		t.plan.unpack(x.values, packed)
	}
	return nil
}

// OptimizerState returns a copy of the optimizer's state at the last Sync.
func (t *Trainer) OptimizerState() []net.Tensor { return t.optimizer.State(t.weights.Tensors()) }

// SetOptimizerState restores a state of OptimizerState, which may be from package graph, before the
// first step. On error the state is unchanged.
func (t *Trainer) SetOptimizerState(state []net.Tensor) error {
	return t.optimizer.SetState(state, t.weights.Tensors())
}
