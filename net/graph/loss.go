package graph

import (
	"math"

	"tiro/internal/portable"
)

// headLoss is the loss of one head, computed together with its gradient.
type headLoss interface {
	// row computes the loss of row r, and its gradient multiplied by weight. It may be called
	// concurrently for different rows.
	row(w *worker, r int, weight float64)
	// mean computes the loss of the batch from the losses of its rows.
	mean(weights []float32, total float64)
}

// head holds the logits of a head, the gradient with respect to them, and the losses.
type head struct {
	first, count int // range of its logits among the logits of a row
	network      *network
	logitGrads   []float32 // [rows, classes of the network]
	scale        float64   // factor of the gradient; the losses do not include it

	losses []float64 // loss of each row
	loss   float64   // weighted mean of the losses
}

// of returns the logits of row r and the memory of their gradient.
func (h *head) of(r int) (logits, grad []float32) {
	at := r*h.network.classes + h.first
	return h.network.logits[at:][:h.count], h.logitGrads[at:][:h.count]
}

func (h *head) mean(weights []float32, total float64) { h.loss = mean(h.losses, weights, total) }

// mean returns the weighted mean of x.
func mean(x []float64, weights []float32, total float64) float64 {
	sum := 0.0
	for r, w := range weights {
		sum += float64(float64(w) / total * x[r])
	}
	return sum
}

// crossEntropy is the loss of a head with one set of classes per row: the weighted mean of -Σ
// target log softmax(logits).
type crossEntropy struct {
	head
	target    []float32 // [rows, count]; a class with a negative number is excluded from the row's softmax
	entropies []float64 // for each row -Σ target log target, the minimum of its loss
	entropy   float64   // weighted mean of the entropies
}

func (c *crossEntropy) mean(weights []float32, total float64) {
	c.head.mean(weights, total)
	c.entropy = mean(c.entropies, weights, total)
}

// row also computes the entropy of the row's target.
func (c *crossEntropy) row(w *worker, r int, weight float64) {
	logits, grad := c.of(r)
	target := c.target[r*c.count:][:c.count]
	c.losses[r], c.entropies[r] = 0, 0
	clear(grad)
	if weight == 0 {
		return
	}
	legal := w.legal(target)
	top := float32(math.Inf(-1))
	for _, i := range legal {
		top = max(top, logits[i])
	}
	loss, entropy, sum, mass := 0.0, 0.0, 0.0, 0.0
	for _, i := range legal {
		x, t := float64(logits[i])-float64(top), float64(target[i])
		exp := portable.Exp(x)
		grad[i] = float32(exp)
		sum += exp
		mass += t
		if t > 0 {
			loss -= float64(t * x)
			entropy -= float64(t * portable.Log(t))
		}
	}
	scale := float32(weight * c.scale)
	perExp := float32(mass / sum)
	for _, i := range legal {
		grad[i] = (float32(grad[i]*perExp) - target[i]) * scale
	}
	if mass > 0 {
		c.losses[r], c.entropies[r] = loss+float64(mass*portable.Log(sum)), entropy
	}
}

// legal returns the indices at which target is not negative. It avoids branches, which a CPU could
// not predict here: as an integer, the bits of a negative number exceed the bits of -0.
func (w *worker) legal(target []float32) []int32 {
	places, n := w.places[:len(target)], 0
	for i, t := range target {
		places[n] = int32(i)
		n += int((uint64(math.Float32bits(t)) - 1<<31 - 1) >> 63)
	}
	return places[:n]
}
