package graph

import (
	"errors"
	"fmt"
	"math"

	"gorgonia.org/gorgonia"

	"tiro/net"
)

// Batch is the memory of the rows that a step learns from. The caller fills all
// of it.
type Batch struct {
	// X holds the observations, [rows, planes, height, width].
	X []float32
	// Policy holds the wanted probability of each action, [rows, actions]. A
	// number below 0 says that the action is illegal: it is left out of the
	// row's softmax, as in play, and the network may say of it what it likes.
	// A row without any number above 0 teaches the outcome only.
	Policy []float32
	// Outcome holds the wanted probability of each result, [rows, players+1]:
	// win of the viewer, of the next seats round the table, and last a draw.
	Outcome []float32
	// Weight says how much a row counts, [rows], 0 or more, not all 0. The loss
	// is the weighted mean.
	Weight []float32
}

// Loss is what a step found before it moved the weights.
type Loss struct {
	Policy        float64 // cross-entropy of the policy in nats, weighted mean of the rows
	PolicyEntropy float64 // of the targets: Policy less this is the divergence KL(target‖network)
	Outcome       float64 // cross-entropy of the outcome in nats, weighted mean of the rows
	GradNorm      float64 // Euclidean norm of the whole gradient, before clipping
}

// Trainer moves weights along the gradient of batches of a fixed number of
// rows. It belongs to one goroutine.
type Trainer struct {
	config  Config
	weights *net.Weights
	batch   Batch
	machine gorgonia.VM
	params  gorgonia.Nodes
	model   []gorgonia.ValueGrad // params again, as solvers want them
	policy  crossEntropy
	outcome crossEntropy
	solver  solver

	logits [2]*gorgonia.Node // of policy and outcome
}

// solver is what a Trainer needs of Adam and Momentum.
type solver interface {
	gorgonia.Solver
	setLearningRate(float64)
	state(like []net.Tensor) []net.Tensor
	setState(state, like []net.Tensor) error
}

// New returns a trainer of w for batches of that many rows. It learns in place:
// w's memory is the graph's, so that w must not be read while a Step runs.
func New(w *net.Weights, c Config, batch int) (*Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if batch < 1 {
		return nil, fmt.Errorf("graph: a batch of %d rows; want 1 or more", batch)
	}
	spec := w.Spec
	t := &Trainer{
		config:  c,
		weights: w,
		batch: Batch{
			X:       make([]float32, batch*spec.Inputs()),
			Policy:  make([]float32, batch*spec.Actions()),
			Outcome: make([]float32, batch*spec.Outcomes()),
			Weight:  make([]float32, batch),
		},
		policy:  crossEntropy{scale: 1},
		outcome: crossEntropy{scale: c.OutcomeWeight},
	}
	if c.Solver == "adam" {
		t.solver = &Adam{WeightDecay: c.WeightDecay, Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Epsilon}
	} else {
		t.solver = &Momentum{WeightDecay: c.WeightDecay, Momentum: c.Momentum}
	}
	return t, t.build(batch)
}

// build makes the graph, differentiates it and compiles it for the tape
// machine. What no parameter's gradient needs, such as the gradient by the
// observations, is left out of the program.
func (t *Trainer) build(rows int) error {
	spec, b := t.weights.Spec, newBuilder(t.weights, newCrew(rows))
	x := b.input("x", t.batch.X, rows, spec.Planes, spec.Height, spec.Width)
	policyTarget := b.input("policy.target", t.batch.Policy, rows, spec.Actions())
	outcomeTarget := b.input("outcome.target", t.batch.Outcome, rows, spec.Outcomes())
	weight := b.input("weight", t.batch.Weight, rows)

	policy, outcome := b.network(x)
	policyGrad := t.policy.apply(b, "policy.loss", policy, policyTarget, weight)
	outcomeGrad := t.outcome.apply(b, "outcome.loss", outcome, outcomeTarget, weight)
	if b.err != nil {
		return b.err
	}
	grads, err := gorgonia.Backpropagate(gorgonia.Nodes{policy, outcome}, gorgonia.Nodes{policyGrad, outcomeGrad}, b.params)
	if err != nil {
		return fmt.Errorf("graph: differentiate: %w", err)
	}
	inputs := append(gorgonia.Nodes{x, policyTarget, outcomeTarget, weight}, b.params...)
	program, registers, err := gorgonia.CompileFunction(b.graph, inputs, grads)
	if err != nil {
		return fmt.Errorf("graph: compile: %w", err)
	}
	t.machine = gorgonia.NewTapeMachine(b.graph, gorgonia.WithPrecompiled(program, registers), gorgonia.BindDualValues(b.params...))
	t.params, t.model = b.params, gorgonia.NodesToValueGrads(b.params)
	t.logits = [2]*gorgonia.Node{policy, outcome}
	return nil
}

// Batch returns the memory that the next Step learns from, to be filled.
func (t *Trainer) Batch() *Batch { return &t.batch }

// Step moves the weights by one step of that learning rate on the batch, and
// returns the loss before it. On error, such as a loss that is no longer
// finite, the weights are as they were.
func (t *Trainer) Step(learningRate float64) (Loss, error) {
	loss, err := t.run()
	if err != nil {
		return Loss{}, err
	}
	if limit := t.config.ClipNorm; limit > 0 && loss.GradNorm > limit {
		scale := float32(limit / loss.GradNorm)
		err = t.eachGrad(func(grad []float32) {
			for i := range grad {
				grad[i] *= scale
			}
		})
		if err != nil {
			return Loss{}, err
		}
	}
	t.solver.setLearningRate(learningRate)
	if err := t.solver.Step(t.model); err != nil {
		return Loss{}, fmt.Errorf("graph: step: %w", err)
	}
	return loss, nil
}

// Measure returns the loss of the batch and leaves the weights alone: for rows
// that are held back to see how well the network generalises.
func (t *Trainer) Measure() (Loss, error) {
	loss, err := t.run()
	if err != nil {
		return Loss{}, err
	}
	return loss, t.clearGrads()
}

// run computes the losses and leaves the gradients with the parameters; on
// error it clears them.
func (t *Trainer) run() (Loss, error) {
	total := 0.0
	for i, w := range t.batch.Weight {
		if w < 0 {
			return Loss{}, fmt.Errorf("graph: weight of row %d is %v; want 0 or more", i, w)
		}
		total += float64(w)
	}
	if !(total > 0) {
		return Loss{}, errors.New("graph: the weights of all rows are 0; want at least one above")
	}
	err := t.machine.RunAll()
	t.machine.Reset()
	if err != nil {
		return Loss{}, errors.Join(fmt.Errorf("graph: run: %w", err), t.clearGrads())
	}
	sum := 0.0
	err = t.eachGrad(func(grad []float32) {
		for _, g := range grad {
			sum += float64(g) * float64(g)
		}
	})
	if err != nil {
		return Loss{}, err
	}
	loss := Loss{
		Policy: t.policy.loss, PolicyEntropy: t.policy.entropy,
		Outcome: t.outcome.loss, GradNorm: math.Sqrt(sum),
	}
	if x := loss.Policy + loss.Outcome + loss.GradNorm; math.IsNaN(x) || math.IsInf(x, 0) {
		return Loss{}, errors.Join(fmt.Errorf("graph: the loss is not finite (policy %v, outcome %v, gradient %v): a lower learning rate may help",
			loss.Policy, loss.Outcome, loss.GradNorm), t.clearGrads())
	}
	return loss, nil
}

func (t *Trainer) clearGrads() error {
	return t.eachGrad(func(grad []float32) { clear(grad) })
}

// eachGrad calls f with the gradient of each parameter, in the tensors' order.
func (t *Trainer) eachGrad(f func(grad []float32)) error {
	params, err := parameters(t.model)
	if err != nil {
		return err
	}
	for _, p := range params {
		f(p.grad)
	}
	return nil
}

// SolverState returns a copy of all that the solver remembers between steps.
// With it and the weights, a new Trainer goes on bit by bit as this one would.
func (t *Trainer) SolverState() []net.Tensor { return t.solver.state(t.weights.Tensors()) }

// SetSolverState takes over what SolverState of a trainer with the same kind of
// solver and network returned. On error the solver is as it was.
func (t *Trainer) SetSolverState(state []net.Tensor) error {
	return t.solver.setState(state, t.weights.Tensors())
}
