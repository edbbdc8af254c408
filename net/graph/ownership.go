package graph

import "math"

// planes are the logits of a part of the ownership head, the gradient by them,
// and their losses.
type planes struct {
	count, cells int
	stride       int       // numbers from a row to the next
	scale        float64   // of the gradient; the losses are without it
	logits, grad []float32 // [rows, count, cells], stride apart

	losses []float64 // of each row
	loss   float64   // their weighted mean
}

func (p *planes) mean(weight []float32, total float64) {
	p.loss = 0
	for r, w := range weight {
		p.loss += float64(w) / total * p.losses[r]
	}
}

// of returns the logits of row r and the place of their gradient.
func (p *planes) of(r int) (logits, grad []float32) {
	n := p.count * p.cells
	return p.logits[r*p.stride:][:n], p.grad[r*p.stride:][:n]
}

// ownershipLoss is the mean of the cross-entropies of the cells that have a target,
// each against the softmax of its classes.
type ownershipLoss struct {
	planes
	target []int8 // [rows, cells]
}

func (l *ownershipLoss) row(_ *worker, r int, share float64) {
	logits, grad := l.of(r)
	target := l.target[r*l.cells:][:l.cells]
	l.losses[r] = 0
	clear(grad)
	owned := 0
	for _, class := range target {
		if class >= 0 {
			owned++
		}
	}
	if share == 0 || owned == 0 {
		return
	}
	scale := share * l.scale / float64(owned)
	for cell, class := range target {
		if class < 0 {
			continue
		}
		at := func(k int) int { return k*l.cells + cell }
		top := float32(math.Inf(-1))
		for k := range l.count {
			top = max(top, logits[at(k)])
		}
		sum := 0.0
		for k := range l.count {
			sum += math.Exp(float64(logits[at(k)] - top))
		}
		for k := range l.count {
			grad[at(k)] = float32(math.Exp(float64(logits[at(k)]-top)) / sum * scale)
		}
		own := at(int(class))
		grad[own] -= float32(scale)
		l.losses[r] += (math.Log(sum) - float64(logits[own]-top)) / float64(owned)
	}
}

// scoreLoss is the mean over the seats of Huber's loss of the score, which is
// the mean of the seat's plane: half the square of an error of at most 1, and
// beyond, where outliers would tear at the weights, the error less a half (Huber
// 1964, "Robust estimation of a location parameter").
type scoreLoss struct {
	planes
	target []float32 // [rows, seats]; all NaN: not known
}

func (l *scoreLoss) row(_ *worker, r int, share float64) {
	logits, grad := l.of(r)
	l.losses[r] = 0
	if share == 0 || math.IsNaN(float64(l.target[r*l.count])) {
		clear(grad)
		return
	}
	for seat := range l.count {
		plane, sum := logits[seat*l.cells:][:l.cells], 0.0
		for _, x := range plane {
			sum += float64(x)
		}
		d := sum/float64(l.cells) - float64(l.target[r*l.count+seat])
		slope := max(-1, min(1, d))
		l.losses[r] += (slope*d - slope*slope/2) / float64(l.count)
		g := float32(slope * share * l.scale / float64(l.count*l.cells))
		for i := range plane {
			grad[seat*l.cells+i] = g
		}
	}
}

// addOwnership makes the losses of ownership and score, if the network tells them, and
// the parts of the batch that they are taught by.
func (t *Trainer) addOwnership() {
	spec, rows, c := t.weights.Spec, len(t.batch.Weight), &t.config
	ownership, scores := t.weights.Config.OwnershipPlanes(spec)
	if ownership == 0 {
		return
	}
	part := func(at, count int, scale float64) planes {
		at = spec.Actions() + spec.Outcomes() + at*spec.Cells()
		return planes{
			count: count, cells: spec.Cells(), stride: t.classes(), scale: scale,
			logits: t.logits[at:], grad: t.logitGrads[at:], losses: make([]float64, rows),
		}
	}
	t.batch.Ownership, t.batch.Score = make([]int8, rows*spec.Cells()), make([]float32, rows*scores)
	t.ownership = &ownershipLoss{part(0, ownership, c.OwnershipWeight), t.batch.Ownership}
	t.score = &scoreLoss{part(ownership, scores, c.ScoreWeight), t.batch.Score}
	t.heads = append(t.heads, t.ownership, t.score)
}
