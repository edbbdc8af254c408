package graph

import (
	"math"

	"gorgonia.org/gorgonia"

	"tiro/net/kernel"
)

// crossEntropy is the loss of one head, fused: in one pass over the logits it
// computes the weighted mean of the rows' cross-entropies and its gradient.
//
// The op's output is the gradient by the logits, [rows, classes], where
// backpropagation starts; the loss itself is a by-product and no node.
type crossEntropy struct {
	rows, classes int
	scale         float64 // of the gradient; the losses below are without it

	loss    float64 // weighted mean of -Σ target log softmax(logits)
	entropy float64 // weighted mean of -Σ target log target: the least that the loss can be

	losses, entropies []float64 // of each row
	exp               []float64 // [rows, classes]
}

// apply adds the loss of logits [rows, classes] against target [rows, classes],
// weighed by weight [rows], to the graph and returns its gradient. A target
// below 0 takes its class out of the row's softmax.
func (c *crossEntropy) apply(b *builder, name string, logits, target, weight *gorgonia.Node) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	c.rows, c.classes = logits.Shape()[0], logits.Shape()[1]
	c.losses, c.entropies = make([]float64, c.rows), make([]float64, c.rows)
	c.exp = make([]float64, c.rows*c.classes)
	o := &op{name: name, shape: []int{c.rows, c.classes}, run: func(grad []float32, in [][]float32) {
		c.run(b.crew, grad, in[0], in[1], in[2])
	}}
	return b.apply(o, logits, target, weight)
}

func (c *crossEntropy) run(crew *crew, grad, logits, target, weight []float32) {
	total := 0.0
	for _, w := range weight {
		total += float64(w)
	}
	crew.each(func(_ *kernel.Worker, _, first, rows int) {
		for r := first; r < first+rows; r++ {
			c.row(r, grad, logits, target, float64(weight[r])/total)
		}
	})
	c.loss, c.entropy = 0, 0
	for r, w := range weight {
		c.loss += float64(w) / total * c.losses[r]
		c.entropy += float64(w) / total * c.entropies[r]
	}
}

// row computes the loss of row r, its target's entropy, and its gradient, of
// which the row has that share.
func (c *crossEntropy) row(r int, grad, logits, target []float32, share float64) {
	begin, end := r*c.classes, (r+1)*c.classes
	grad, logits, target = grad[begin:end], logits[begin:end], target[begin:end]
	c.losses[r], c.entropies[r] = 0, 0
	if share == 0 {
		clear(grad)
		return
	}
	exp := c.exp[begin:end]
	top := math.Inf(-1)
	for i, t := range target {
		if t >= 0 {
			top = max(top, float64(logits[i]))
		}
	}
	loss, entropy, sum, mass := 0.0, 0.0, 0.0, 0.0
	for i, t := range target {
		if t < 0 {
			continue
		}
		x := float64(logits[i]) - top
		exp[i] = math.Exp(x)
		sum += exp[i]
		mass += float64(t)
		if t > 0 {
			loss -= float64(t) * x
			entropy -= float64(t) * math.Log(float64(t))
		}
	}
	for i, t := range target {
		grad[i] = 0
		if t >= 0 {
			grad[i] = float32((exp[i]/sum*mass - float64(t)) * share * c.scale)
		}
	}
	if mass > 0 {
		c.losses[r], c.entropies[r] = loss+mass*math.Log(sum), entropy
	}
}
