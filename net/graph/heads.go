package graph

import (
	"tiro/env"
	"tiro/net/kernel"
)

// heads are the last layers, from the trunk to the logits of policy, outcome and
// ownership.
type heads struct {
	policy    *conv
	ownership *conv   // ownership and score side by side, or nil
	reader    *conv   // reads the trunk for the outcome
	dense     []*conv // on its flattened output
	classes   int     // logits of a row: actions, outcomes, then ownership planes

	x               []float32   // the trunk
	planes          []float32   // of the policy; backward, the gradient by them
	ownershipPlanes []float32   // likewise, of the ownership head
	read            []float32   // by reader; likewise
	hidden          [][]float32 // what each dense layer reads
	hiddenGrad      [][]float32 // by hidden
	outcome         []float32   // of the last dense layer; backward, the gradient by it
	logits          []float32   // [rows, classes]
	logitGrad       []float32   // likewise
	grad            []float32   // by x
}

func (b *builder) heads(spec env.Spec, x, logitGrads []float32) *heads {
	rows := b.workers.rows
	cells := kernel.NewGrid(spec.Height, spec.Width, 1)
	l := &heads{
		policy:  b.conv(cells, "policy", "policy.bias", false),
		reader:  b.conv(cells, "outcome.conv", "outcome.conv.bias", true),
		classes: spec.Actions() + spec.Outcomes(),
		x:       x, logitGrad: logitGrads, grad: b.trunkGrad,
	}
	for _, name := range []string{"outcome.hidden", "outcome.out"} {
		if b.params[name+".weight"] == nil {
			continue
		}
		c := b.conv(kernel.NewGrid(1, 1, 1), name, name+".bias", name == "outcome.hidden")
		l.dense = append(l.dense, c)
		l.hidden, l.hiddenGrad = append(l.hidden, c.in.make(rows)), append(l.hiddenGrad, c.in.make(rows))
	}
	l.planes, l.read = l.policy.out.make(rows), l.reader.out.make(rows)
	l.outcome = l.last().out.make(rows)
	if b.params["ownership.weight"] != nil {
		l.ownership = b.conv(cells, "ownership", "ownership.bias", false)
		l.ownershipPlanes = l.ownership.out.make(rows)
		l.classes += l.ownership.out.channels * l.ownership.out.cells
	}
	l.logits = make([]float32, rows*l.classes)
	return l
}

// last returns the layer that makes the outcome's logits.
func (l *heads) last() *conv { return l.dense[len(l.dense)-1] }

// flat is how the reader's output lies in a row: [channels, cells].
func (l *heads) flat() int { return l.dense[0].in.width() }

func (l *heads) convs() []*conv {
	all := append([]*conv{l.policy, l.reader}, l.dense...)
	if l.ownership != nil {
		all = append(all, l.ownership)
	}
	return all
}

// row returns where the logits of a shard begin, those of the policy, of the
// outcome and of ownership.
func (l *heads) row(x []float32, s shard) (policy, outcome, ownership []float32) {
	policy = x[s.first*l.classes:]
	outcome = policy[l.policy.out.channels*l.policy.out.cells:]
	return policy, outcome, outcome[l.last().out.channels:]
}

func (l *heads) forward(w *worker, s shard) {
	x := l.policy.in.of(l.x, s)
	policy, outcome, ownership := l.row(l.logits, s)
	planes := l.policy.out.of(l.planes, s)
	w.Conv(&l.policy.forward, &kernel.Call{Rows: s.rows, Src: x, Dst: planes})
	l.policy.out.leave(policy, planes, s.rows, l.classes)
	if l.ownership != nil {
		planes := l.ownership.out.of(l.ownershipPlanes, s)
		w.Conv(&l.ownership.forward, &kernel.Call{Rows: s.rows, Src: x, Dst: planes})
		l.ownership.out.leave(ownership, planes, s.rows, l.classes)
	}

	read := l.reader.out.of(l.read, s)
	w.Conv(&l.reader.forward, &kernel.Call{Rows: s.rows, Src: x, Dst: read})
	l.reader.out.leave(l.dense[0].in.of(l.hidden[0], s), read, s.rows, l.flat())
	for i, c := range l.dense {
		w.Conv(&c.forward, &kernel.Call{Rows: s.rows, Src: c.in.of(l.hidden[i], s), Dst: c.out.of(l.after(i), s)})
	}
	l.last().out.leave(outcome, l.last().out.of(l.outcome, s), s.rows, l.classes)
}

// after returns what dense layer i writes.
func (l *heads) after(i int) []float32 {
	if i+1 < len(l.hidden) {
		return l.hidden[i+1]
	}
	return l.outcome
}

func (l *heads) backward(w *worker, s shard) {
	policy, outcome, ownership := l.row(l.logitGrad, s)
	grad := l.last().out.of(l.outcome, s)
	l.last().out.enter(grad, outcome, s.rows, l.classes)
	for i := len(l.dense) - 1; i >= 0; i-- {
		c := l.dense[i]
		in, inGrad := c.in.of(l.hidden[i], s), c.in.of(l.hiddenGrad[i], s)
		c.learn(w, s, in, grad)
		w.Conv(&c.backward, &kernel.Call{Rows: s.rows, Src: grad, Dst: inGrad, Mask: in})
		grad = inGrad
	}
	read := l.reader.out.of(l.read, s)
	l.reader.out.enter(read, grad, s.rows, l.flat())
	planes := l.policy.out.of(l.planes, s)
	l.policy.out.enter(planes, policy, s.rows, l.classes)

	x, byX := l.policy.in.of(l.x, s), l.policy.in.of(l.grad, s)
	l.policy.learn(w, s, x, planes)
	l.reader.learn(w, s, x, read)
	w.Conv(&l.policy.backward, &kernel.Call{Rows: s.rows, Src: planes, Dst: byX})
	if l.ownership != nil {
		planes := l.ownership.out.of(l.ownershipPlanes, s)
		l.ownership.out.enter(planes, ownership, s.rows, l.classes)
		l.ownership.learn(w, s, x, planes)
		w.Conv(&l.ownership.backward, &kernel.Call{Rows: s.rows, Src: planes, Dst: byX, Residual: byX})
	}
	w.Conv(&l.reader.backward, &kernel.Call{Rows: s.rows, Src: read, Dst: byX, Residual: byX, Mask: x})
}
