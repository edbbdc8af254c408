package graph

import (
	"tiro/env"
	"tiro/net/kernel"
)

// heads are the last layers, from the trunk to the logits: of the policy, of the
// outcome and, if the network has that head, of ownership and score.
type heads struct {
	planes []planeHead // policy, ownership
	reader *conv       // reads the trunk for the outcome
	dense  []*conv     // on its flattened output; the last makes the outcome's logits

	x             []float32   // the trunk
	read          []float32   // by reader; backward, the gradient by it
	hidden        [][]float32 // what each dense layer reads
	hiddenGrad    [][]float32 // by hidden
	outcome       []float32   // of the last dense layer; backward, the gradient by it
	logits        []float32   // [rows, classes]
	logitGrad     []float32   // likewise
	grad          []float32   // by x
	classes       int         // logits of a row
	outcomeLogits int         // the place of the outcome's among them
}

// planeHead is a head that makes a plane of logits for each of its channels.
type planeHead struct {
	*conv
	first  int       // the place of its logits in a row
	planes []float32 // backward, the gradient by them
}

func (n *network) heads(spec env.Spec, x, logitGrads []float32) *heads {
	rows, cells := n.workers.rows, kernel.NewGrid(spec.Height, spec.Width, 1)
	l := &heads{x: x, logitGrad: logitGrads, grad: n.trunkGrad, classes: n.classes, outcomeLogits: spec.Actions()}
	plane := func(name string, first int) {
		c := n.conv(cells, name, name+".bias", false)
		l.planes = append(l.planes, planeHead{c, first, c.out.make(rows)})
	}
	plane("policy", 0)
	l.reader = n.conv(cells, "outcome.conv", "outcome.conv.bias", true)
	for _, name := range []string{"outcome.hidden", "outcome.out"} {
		if n.param(name+".weight") == nil {
			continue
		}
		c := n.conv(kernel.NewGrid(1, 1, 1), name, name+".bias", name == "outcome.hidden")
		l.dense = append(l.dense, c)
		l.hidden = append(l.hidden, c.in.make(rows))
		l.hiddenGrad = append(l.hiddenGrad, c.in.make(rows))
	}
	l.read, l.outcome = l.reader.out.make(rows), l.last().out.make(rows)
	if n.param("ownership.weight") != nil {
		plane("ownership", spec.Actions()+spec.Outcomes())
	}
	l.logits = make([]float32, rows*l.classes)
	return l
}

// last returns the layer that makes the outcome's logits.
func (l *heads) last() *conv { return l.dense[len(l.dense)-1] }

// flat returns the numbers of a row of the reader's output: [channels, cells].
func (l *heads) flat() int { return l.dense[0].in.width() }

func (l *heads) convs() []*conv {
	all := append([]*conv{l.reader}, l.dense...)
	for _, h := range l.planes {
		all = append(all, h.conv)
	}
	return all
}

func (l *heads) forward(w *worker, s shard) {
	x, logits := l.reader.in.of(l.x, s), l.logits[s.first*l.classes:]
	for _, h := range l.planes {
		planes := h.out.of(h.planes, s)
		w.Conv(&h.conv.forward, &kernel.Call{Rows: s.rows, Src: x, Dst: planes})
		h.out.unpack(logits[h.first:], planes, s.rows, l.classes)
	}
	read := l.reader.out.of(l.read, s)
	w.Conv(&l.reader.forward, &kernel.Call{Rows: s.rows, Src: x, Dst: read})
	l.reader.out.unpack(l.dense[0].in.of(l.hidden[0], s), read, s.rows, l.flat())
	for i, c := range l.dense {
		w.Conv(&c.forward, &kernel.Call{Rows: s.rows, Src: c.in.of(l.hidden[i], s), Dst: c.out.of(l.after(i), s)})
	}
	l.last().out.unpack(logits[l.outcomeLogits:], l.last().out.of(l.outcome, s), s.rows, l.classes)
}

// after returns what dense layer i writes.
func (l *heads) after(i int) []float32 {
	if i+1 < len(l.hidden) {
		return l.hidden[i+1]
	}
	return l.outcome
}

func (l *heads) backward(w *worker, s shard) {
	logitGrad := l.logitGrad[s.first*l.classes:]
	grad := l.last().out.of(l.outcome, s)
	l.last().out.pack(grad, logitGrad[l.outcomeLogits:], s.rows, l.classes)
	for i := len(l.dense) - 1; i >= 0; i-- {
		c := l.dense[i]
		in, inGrad := c.in.of(l.hidden[i], s), c.in.of(l.hiddenGrad[i], s)
		c.learn(w, s, in, grad)
		w.Conv(&c.backward, &kernel.Call{Rows: s.rows, Src: grad, Dst: inGrad, Mask: in})
		grad = inGrad
	}
	x, byX := l.reader.in.of(l.x, s), l.reader.in.of(l.grad, s)
	var sum []float32 // of the gradients by x so far
	for _, h := range l.planes {
		planes := h.out.of(h.planes, s)
		h.out.pack(planes, logitGrad[h.first:], s.rows, l.classes)
		h.learn(w, s, x, planes)
		w.Conv(&h.conv.backward, &kernel.Call{Rows: s.rows, Src: planes, Dst: byX, Residual: sum})
		sum = byX
	}
	read := l.reader.out.of(l.read, s)
	l.reader.out.pack(read, grad, s.rows, l.flat())
	l.reader.learn(w, s, x, read)
	w.Conv(&l.reader.backward, &kernel.Call{Rows: s.rows, Src: read, Dst: byX, Residual: sum, Mask: x})
}
