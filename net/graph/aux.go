package graph

import (
	"math"

	"tiro/env"
)

// rowLosses are the losses of a head's rows, and their weighted mean.
type rowLosses struct {
	losses []float64
	loss   float64
}

func (l *rowLosses) mean(weight []float32, total float64) {
	l.loss = 0
	for r, w := range weight {
		l.loss += float64(w) / total * l.losses[r]
	}
}

// planes are the logits of a head for learning alone and the gradient by them.
type planes struct {
	rowLosses
	count, cells int
	stride       int       // numbers from a row to the next
	scale        float64   // of the gradient; the losses are without it
	logits, grad []float32 // [rows, count, cells], stride apart
}

// of returns the logits of row r and the place of their gradient.
func (p *planes) of(r int) (logits, grad []float32) {
	n := p.count * p.cells
	return p.logits[r*p.stride:][:n], p.grad[r*p.stride:][:n]
}

// fateLoss is the mean of the cross-entropies of the cells that have a fate,
// each against the softmax of its classes.
type fateLoss struct {
	planes
	target []int8 // [rows, cells]
}

func (l *fateLoss) row(_ *worker, r int, share float64) {
	logits, grad := l.of(r)
	target := l.target[r*l.cells:][:l.cells]
	l.losses[r] = 0
	clear(grad)
	fated := 0
	for _, class := range target {
		if class >= 0 {
			fated++
		}
	}
	if share == 0 || fated == 0 {
		return
	}
	scale := share * l.scale / float64(fated)
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
		l.losses[r] += (math.Log(sum) - float64(logits[own]-top)) / float64(fated)
	}
}

// marginLoss is the mean over the seats of Huber's loss of the margin, which is
// the mean of the seat's plane: half the square of an error of at most 1, and
// beyond, where outliers would tear at the weights, the error less a half (Huber
// 1964, "Robust estimation of a location parameter").
type marginLoss struct {
	planes
	target []float32 // [rows, seats]; all NaN: not known
}

func (l *marginLoss) row(_ *worker, r int, share float64) {
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

// replyLoss is the cross-entropy of an action against the softmax of all of
// them: which will be legal, the network does not know.
type replyLoss struct {
	planes
	target []env.Action // [rows], below 0 for none
}

func (l *replyLoss) row(_ *worker, r int, share float64) {
	logits, grad := l.of(r)
	l.losses[r] = 0
	action := l.target[r]
	if share == 0 || action < 0 {
		clear(grad)
		return
	}
	top := float32(math.Inf(-1))
	for _, x := range logits {
		top = max(top, x)
	}
	sum := 0.0
	for i, x := range logits {
		exp := math.Exp(float64(x - top))
		grad[i] = float32(exp)
		sum += exp
	}
	scale := share * l.scale
	perExp := float32(scale / sum)
	for i := range grad {
		grad[i] *= perExp
	}
	grad[action] -= float32(scale)
	l.losses[r] = math.Log(sum) - float64(logits[action]-top)
}

// addAux makes the losses of the heads for learning alone, and the parts of the
// batch that they are taught by.
func (t *Trainer) addAux() {
	spec, rows, c := t.weights.Spec, len(t.batch.Weight), &t.config
	fate, margin, reply, soft := t.weights.Config.Aux.Planes(spec)
	at := spec.Actions() + spec.Outcomes()
	head := func(count int, scale float64) planes {
		p := planes{
			rowLosses: rowLosses{losses: make([]float64, rows)},
			count:     count, cells: spec.Cells(), stride: t.classes(), scale: scale,
			logits: t.logits[at:], grad: t.logitGrads[at:],
		}
		at += count * spec.Cells()
		return p
	}
	if fate > 0 {
		t.batch.Fate, t.batch.Margin = make([]int8, rows*spec.Cells()), make([]float32, rows*margin)
		t.fate = &fateLoss{head(fate, c.FateWeight), t.batch.Fate}
		t.margin = &marginLoss{head(margin, c.MarginWeight), t.batch.Margin}
		t.heads = append(t.heads, t.fate, t.margin)
	}
	if reply > 0 {
		t.batch.Reply = make([]env.Action, rows)
		t.reply = &replyLoss{head(reply, c.ReplyWeight), t.batch.Reply}
		t.heads = append(t.heads, t.reply)
	}
	if soft > 0 {
		t.soft = newCrossEntropy(rows, t.classes(), t.batch.Policy, c.SoftWeight)
		t.soft.soft, t.soft.logits, t.soft.grad = true, t.logits[at:], t.logitGrads[at:]
		t.heads = append(t.heads, t.soft)
	}
}

// auxLoss fills in the losses of the heads for learning alone.
func (t *Trainer) auxLoss(l *Loss) {
	if t.fate != nil {
		l.Fate, l.Margin = t.fate.loss, t.margin.loss
	}
	if t.reply != nil {
		l.Reply = t.reply.loss
	}
	if t.soft != nil {
		l.Soft = t.soft.loss - t.soft.entropy
	}
}
