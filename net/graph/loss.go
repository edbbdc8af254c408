package graph

import (
	"math"

	"gorgonia.org/gorgonia"
)

// crossEntropy is the loss of one head, fused: in one pass over the logits it
// computes the weighted mean of the rows' cross-entropies and its gradient.
type crossEntropy struct {
	rows, classes int
	stride        int       // numbers from a row of logits or gradients to the next
	scale         float64   // of the gradient; the losses below are without it
	logits, grad  []float32 // [rows, classes], stride apart
	target        []float32 // [rows, classes]; below 0, the class is no part of the row's softmax

	loss    float64 // weighted mean of -Σ target log softmax(logits)
	entropy float64 // weighted mean of -Σ target log target: the least that the loss can be

	losses, entropies []float64 // of each row
}

func newCrossEntropy(rows, stride int, target []float32, scale float64) *crossEntropy {
	return &crossEntropy{
		rows: rows, classes: len(target) / rows, stride: stride, scale: scale, target: target,
		losses: make([]float64, rows), entropies: make([]float64, rows),
	}
}

// addLoss adds the losses of both heads to the graph and returns the node of
// their gradient by logits, where backpropagation starts. The losses themselves
// are by-products and no nodes.
func (t *Trainer) addLoss(b *builder, logits *gorgonia.Node, inputs ...*gorgonia.Node) *gorgonia.Node {
	o := &op{name: "loss", value: tensorOf(t.logitGrads, b.crew.rows, t.classes()), run: func() {
		total := 0.0
		for _, w := range t.batch.Weight {
			total += float64(w)
		}
		b.crew.each(func(w *worker, s shard) {
			for r := s.first; r < s.first+s.rows; r++ {
				share := float64(t.batch.Weight[r]) / total
				t.policy.row(w, r, share)
				t.outcome.row(w, r, share)
			}
		})
		t.policy.mean(t.batch.Weight, total)
		t.outcome.mean(t.batch.Weight, total)
	}}
	return b.apply(o, append(gorgonia.Nodes{logits}, inputs...)...)
}

// mean computes the losses of the batch from those of its rows.
func (c *crossEntropy) mean(weight []float32, total float64) {
	c.loss, c.entropy = 0, 0
	for r, w := range weight {
		c.loss += float64(w) / total * c.losses[r]
		c.entropy += float64(w) / total * c.entropies[r]
	}
}

// row computes the loss of row r, its target's entropy, and its gradient, of
// which the row has that share.
func (c *crossEntropy) row(w *worker, r int, share float64) {
	grad, logits := c.grad[r*c.stride:][:c.classes], c.logits[r*c.stride:][:c.classes]
	target := c.target[r*c.classes:][:c.classes]
	c.losses[r], c.entropies[r] = 0, 0
	if share == 0 {
		clear(grad)
		return
	}
	legal := w.legal(target)
	top := float32(math.Inf(-1))
	for _, i := range legal {
		top = max(top, logits[i])
	}
	exp := w.scratch(len(legal))
	loss, entropy, sum, mass := 0.0, 0.0, 0.0, 0.0
	for n, i := range legal {
		x, t := logits[i]-top, target[i]
		exp[n] = exponential(x)
		sum += float64(exp[n])
		mass += float64(t)
		if t > 0 {
			loss -= float64(t) * float64(x)
			entropy -= float64(t) * math.Log(float64(t))
		}
	}
	clear(grad)
	scale := float32(share * c.scale)
	perExp := float32(mass / sum)
	for n, i := range legal {
		grad[i] = (exp[n]*perExp - target[i]) * scale
	}
	if mass > 0 {
		c.losses[r], c.entropies[r] = loss+mass*math.Log(sum), entropy
	}
}

// legal returns the places where target is not below 0. It does without
// branches, which no CPU could predict here.
func (w *worker) legal(target []float32) []int32 {
	if len(w.places) < len(target) {
		w.places = make([]int32, len(target))
	}
	places, n := w.places[:len(target)], 0
	for i, t := range target {
		places[n] = int32(i)
		n += int(1 - math.Float32bits(t)>>31)
	}
	return places[:n]
}

// exponential returns e to the power of x, which is at most 0, to 1e-7 of it,
// or what is not finite for an x that is not. Numbers below 1e-37 are 0.
func exponential(x float32) float32 {
	const (
		log2e  = 1.44269504
		ln2    = 0.693359375 // exact in 10 bits
		ln2Low = -2.12194440e-4
		round  = 3 << 22 // adding it leaves no place for a fraction
	)
	if !(x > -86) {
		if x != x {
			return x
		}
		return 0
	}
	k := x*log2e + round
	n := math.Float32bits(k) << 23 // the integer, as an exponent
	k -= round
	r := x - k*ln2 - k*ln2Low // within ±ln2/2
	p := 1 + r*(1+r*(1./2+r*(1./6+r*(1./24+r*(1./120+r*(1./720))))))
	return math.Float32frombits(math.Float32bits(p) + n)
}
