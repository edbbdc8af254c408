package graph

import (
	"math"

	"gorgonia.org/gorgonia"
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
	exp     []float64
}

// apply adds the loss of logits [rows, classes] against target [rows, classes],
// weighed by weight [rows], to the graph and returns its gradient. A target
// below 0 takes its class out of the row's softmax.
func (c *crossEntropy) apply(b *builder, name string, logits, target, weight *gorgonia.Node) *gorgonia.Node {
	c.rows, c.classes = logits.Shape()[0], logits.Shape()[1]
	c.exp = make([]float64, c.classes)
	o := newOp(name, []int{2, 2, 1}, c.rows, c.classes)
	o.run = func(grad []float32, in [][]float32) { c.run(grad, in[0], in[1], in[2]) }
	return b.apply(o, logits, target, weight)
}

func (c *crossEntropy) run(grad, logits, target, weight []float32) {
	total := 0.0
	for _, w := range weight {
		total += float64(w)
	}
	c.loss, c.entropy = 0, 0
	for r := range c.rows {
		row := grad[r*c.classes : (r+1)*c.classes]
		share := float64(weight[r]) / total
		if share == 0 {
			clear(row)
			continue
		}
		loss, entropy := c.row(row, logits[r*c.classes:], target[r*c.classes:], share*c.scale)
		c.loss += share * loss
		c.entropy += share * entropy
	}
}

// row computes one row's loss, entropy of the target, and gradient times scale.
func (c *crossEntropy) row(grad, logits, target []float32, scale float64) (loss, entropy float64) {
	logits, target = logits[:len(grad)], target[:len(grad)]
	top := math.Inf(-1)
	for i, t := range target {
		if t >= 0 {
			top = max(top, float64(logits[i]))
		}
	}
	sum, mass := 0.0, 0.0
	for i, t := range target {
		if t < 0 {
			continue
		}
		x := float64(logits[i]) - top
		c.exp[i] = math.Exp(x)
		sum += c.exp[i]
		mass += float64(t)
		if t > 0 {
			loss -= float64(t) * x
			entropy -= float64(t) * math.Log(float64(t))
		}
	}
	loss += mass * math.Log(sum)
	for i, t := range target {
		if t < 0 {
			grad[i] = 0
			continue
		}
		grad[i] = float32((c.exp[i]/sum*mass - float64(t)) * scale)
	}
	return loss, entropy
}
