package graph

import (
	"math"

	"gorgonia.org/gorgonia"
)

// headLoss is the loss of one head, computed together with its gradient.
type headLoss interface {
	// row computes the loss of row r and its gradient, of which the row has that
	// share. Different rows may be computed at the same time.
	row(w *worker, r int, share float64)
	// mean computes the loss of the batch from those of its rows.
	mean(weight []float32, total float64)
}

// crossEntropy is the loss of a head whose classes a row has one set of: the
// weighted mean of the rows' cross-entropies.
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

// addLoss adds the losses of all heads to the graph and returns the node of
// their gradient by logits, where backpropagation starts. The losses themselves
// are by-products and no nodes.
func (t *Trainer) addLoss(b *builder, logits *gorgonia.Node, inputs ...*gorgonia.Node) *gorgonia.Node {
	o := &op{name: "loss", value: tensorOf(t.logitGrads, b.workers.rows, t.classes()), run: func() {
		total := 0.0
		for _, w := range t.batch.Weight {
			total += float64(w)
		}
		b.workers.each(func(w *worker, s shard) {
			for r := s.first; r < s.first+s.rows; r++ {
				share := float64(t.batch.Weight[r]) / total
				for _, h := range t.heads {
					h.row(w, r, share)
				}
			}
		})
		for _, h := range t.heads {
			h.mean(t.batch.Weight, total)
		}
	}}
	return b.apply(o, append(gorgonia.Nodes{logits}, inputs...)...)
}

// mean computes loss and entropy of the batch.
func (c *crossEntropy) mean(weight []float32, total float64) {
	c.loss, c.entropy = 0, 0
	for r, w := range weight {
		c.loss += float64(w) / total * c.losses[r]
		c.entropy += float64(w) / total * c.entropies[r]
	}
}

// row also computes the entropy of the row's target.
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
	clear(grad)
	loss, entropy, sum, mass := 0.0, 0.0, 0.0, 0.0
	for _, i := range legal {
		x, t := float64(logits[i])-float64(top), float64(target[i])
		exp := math.Exp(x)
		grad[i] = float32(exp)
		sum += exp
		mass += t
		if t > 0 {
			loss -= t * x
			entropy -= t * math.Log(t)
		}
	}
	scale := float32(share * c.scale)
	perExp := float32(mass / sum)
	for _, i := range legal {
		grad[i] = (grad[i]*perExp - target[i]) * scale
	}
	if mass > 0 {
		c.losses[r], c.entropies[r] = loss+mass*math.Log(sum), entropy
	}
}

// legal returns the places where target is not below 0. It does without
// branches, which no CPU could predict here: the bits of such numbers are at
// most those of -0.
func (w *worker) legal(target []float32) []int32 {
	if len(w.places) < len(target) {
		w.places = make([]int32, len(target))
	}
	places, n := w.places[:len(target)], 0
	for i, t := range target {
		places[n] = int32(i)
		n += int((uint64(math.Float32bits(t)) - 1<<31 - 1) >> 63)
	}
	return places[:n]
}
