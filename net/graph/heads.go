package graph

import (
	"tiro/env"
	"tiro/net/kernel"
)

// heads are the last layers, from the trunk to the logits: policy, outcome and, with the
// ownership head, ownership and score.
type heads struct {
	planes []planeHead // policy, ownership
	reader *conv       // convolution of the trunk for the outcome
	dense  []*conv     // fully connected layers on its flattened output; the last one returns the outcome's logits

	x             []float32   // the trunk
	byX           []float32   // gradient with respect to x
	hiddenGrad    [][]float32 // gradient with respect to the input of each dense layer
	logits        []float32   // [rows, classes]
	logitGrad     []float32   // likewise
	classes       int         // logits per row
	outcomeLogits int         // index of the outcome's logits in a row
}

// planeHead is a head that returns a plane of logits for each of its channels.
type planeHead struct {
	*conv
	first int // index of its logits in a row
}

// heads returns the heads, which read x and write the gradient with respect to x to byX. In the
// forward pass, the memory of each gradient holds the head's output.
func (n *network) heads(spec env.Spec, x, byX, logitGrads []float32) *heads {
	rows, cells := n.workers.rows, kernel.NewGrid(spec.Height, spec.Width, 1)
	l := &heads{x: x, byX: byX, logitGrad: logitGrads, classes: n.classes, outcomeLogits: spec.Actions()}
	plane := func(name string, first int) {
		c := n.conv(cells, name, name+".bias", false)
		c.x, c.d = x, c.out.make(rows)
		l.planes = append(l.planes, planeHead{c, first})
	}
	plane("policy", 0)
	l.reader = n.conv(cells, "outcome.conv", "outcome.conv.bias", true)
	l.reader.x, l.reader.d = x, l.reader.out.make(rows)
	for _, name := range []string{"outcome.hidden", "outcome.out"} {
		if n.param(name+".weight") == nil {
			continue
		}
		c := n.conv(kernel.NewGrid(1, 1, 1), name, name+".bias", name == "outcome.hidden")
		c.x = c.in.make(rows)
		l.hiddenGrad = append(l.hiddenGrad, c.in.make(rows))
		if i := len(l.dense); i > 0 {
			l.dense[i-1].d = l.hiddenGrad[i]
		}
		l.dense = append(l.dense, c)
	}
	l.last().d = l.last().out.make(rows)
	if n.param("ownership.weight") != nil {
		plane("ownership", spec.Actions()+spec.Outcomes())
	}
	l.logits = make([]float32, rows*l.classes)
	return l
}

// last returns the layer that returns the outcome's logits.
func (l *heads) last() *conv { return l.dense[len(l.dense)-1] }

// flat returns the size of a row of the reader's output: [channels, cells].
func (l *heads) flat() int { return l.dense[0].in.width() }

func (l *heads) convs() []*conv {
	all := append([]*conv{l.reader}, l.dense...)
	for _, h := range l.planes {
		all = append(all, h.conv)
	}
	return all
}

func (l *heads) forward(w *worker, v window) {
	s := v.shard
	x, logits := l.reader.in.of(l.x, s), l.logits[v.row()*l.classes:]
	for _, h := range l.planes {
		planes := h.out.of(h.d, s)
		h.apply(w, v, &h.conv.forward, kernel.Call{Src: x, Dst: planes})
		h.out.unpack(logits[h.first:], planes, v, l.classes)
	}
	read := l.reader.out.of(l.reader.d, s)
	l.reader.apply(w, v, &l.reader.forward, kernel.Call{Src: x, Dst: read})
	l.reader.out.unpack(rowsOf(l.dense[0].x, v, l.flat()), read, v, l.flat())
	for i, c := range l.dense {
		c.apply(w, v, &c.forward, kernel.Call{Src: c.in.of(c.x, s), Dst: c.out.of(l.after(i), s)})
	}
	l.last().out.unpack(logits[l.outcomeLogits:], l.last().out.of(l.last().d, s), v, l.classes)
}

// after returns the memory that dense layer i writes to.
func (l *heads) after(i int) []float32 {
	if i+1 < len(l.dense) {
		return l.dense[i+1].x
	}
	return l.last().d
}

func (l *heads) backward(w *worker, v window) {
	s, logitGrad := v.shard, l.logitGrad[v.row()*l.classes:]
	l.last().out.pack(l.last().out.of(l.last().d, s), logitGrad[l.outcomeLogits:], v, l.classes)
	for i := len(l.dense) - 1; i >= 0; i-- {
		c := l.dense[i]
		c.apply(w, v, &c.backward, kernel.Call{Src: c.out.of(c.d, s), Dst: c.in.of(l.hiddenGrad[i], s), Mask: c.in.of(c.x, s)})
	}
	x, byX := l.reader.in.of(l.x, s), l.reader.in.of(l.byX, s)
	var sum []float32 // sum of the gradients with respect to x so far
	for _, h := range l.planes {
		planes := h.out.of(h.d, s)
		h.out.pack(planes, logitGrad[h.first:], v, l.classes)
		h.apply(w, v, &h.conv.backward, kernel.Call{Src: planes, Dst: byX, Residual: sum})
		sum = byX
	}
	read := l.reader.out.of(l.reader.d, s)
	l.reader.out.pack(read, rowsOf(l.hiddenGrad[0], v, l.flat()), v, l.flat())
	l.reader.apply(w, v, &l.reader.backward, kernel.Call{Src: read, Dst: byX, Residual: sum, Mask: x})
}
