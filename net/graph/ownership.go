package graph

import (
	"math"

	"tiro/internal/portable"
)

// ownershipLoss is the mean cross-entropy of the cells with a target, against the softmax of each
// cell's logits [classes, cells].
type ownershipLoss struct {
	head
	classes, cells int
	target         []int8 // [rows, cells]; negative if there is none
}

func (l *ownershipLoss) row(_ *worker, r int, weight float64) {
	logits, grad := l.of(r)
	target := l.target[r*l.cells:][:l.cells]
	l.losses[r] = 0
	clear(grad)
	targets := 0
	for _, class := range target {
		if class >= 0 {
			targets++
		}
	}
	if weight == 0 || targets == 0 {
		return
	}
	scale := weight * l.scale / float64(targets)
	for cell, class := range target {
		if class < 0 {
			continue
		}
		at := func(k int) int { return k*l.cells + cell }
		top := float32(math.Inf(-1))
		for k := range l.classes {
			top = max(top, logits[at(k)])
		}
		sum := 0.0
		for k := range l.classes {
			sum += portable.Exp(float64(logits[at(k)] - top))
		}
		for k := range l.classes {
			grad[at(k)] = float32(portable.Exp(float64(logits[at(k)]-top)) / sum * scale)
		}
		own := at(int(class))
		grad[own] -= float32(scale)
		l.losses[r] += (portable.Log(sum) - float64(logits[own]-top)) / float64(targets)
	}
}

// scoreLoss is the Huber loss of the score, averaged over the seats. A seat's score is the mean of
// its plane of logits [seats, cells]. The loss is half the squared error for errors up to 1, and
// the error less a half beyond, where outliers would dominate the gradient (Huber 1964, "Robust
// estimation of a location parameter").
type scoreLoss struct {
	head
	seats, cells int
	target       []float32 // [rows, seats]; all NaN if unknown
}

func (l *scoreLoss) row(_ *worker, r int, weight float64) {
	logits, grad := l.of(r)
	l.losses[r] = 0
	if weight == 0 || math.IsNaN(float64(l.target[r*l.seats])) {
		clear(grad)
		return
	}
	for seat := range l.seats {
		plane, sum := logits[seat*l.cells:][:l.cells], 0.0
		for _, x := range plane {
			sum += float64(x)
		}
		d := sum/float64(l.cells) - float64(l.target[r*l.seats+seat])
		slope := max(-1, min(1, d))
		l.losses[r] += (float64(slope*d) - float64(slope*slope/2)) / float64(l.seats)
		g := float32(slope * weight * l.scale / float64(l.seats*l.cells))
		for i := range plane {
			grad[seat*l.cells+i] = g
		}
	}
}
