package net

import (
	"fmt"

	"tiro/internal/faults"
)

// CheckGrowth returns an error that names every field in which c is less than from, so
// that Weights of c cannot grow from those of from.
func (c Config) CheckGrowth(from Config) error {
	var f faults.List
	atLeast := func(field string, now, before int) {
		f.Check(now >= before, field, now, fmt.Sprintf("%d or more", before))
	}
	atLeast("channels", c.Channels, from.Channels)
	atLeast("blocks", c.Blocks, from.Blocks)
	f.Check(c.Pool || !from.Pool, "pool", c.Pool, "true")
	atLeast("outcome_channels", c.OutcomeChannels, from.OutcomeChannels)
	if from.Hidden == 0 {
		f.Check(c.Hidden == 0, "hidden", c.Hidden, "0, as before")
	} else {
		atLeast("hidden", c.Hidden, from.Hidden)
	}
	return f.Err()
}

// GrowFrom makes an untrained network, the weights of which NewWeights returned, compute
// what a trained one does that has fewer channels or blocks, no pooling, or a narrower
// outcome head (Net2Net: Chen, Goodfellow and Shlens 2016, "Net2Net: accelerating learning
// via knowledge transfer"; with zeros in the place of that paper's copies of channels).
// The numbers of the small network stay what they are. What is new reads what is there,
// with its random weights, but nothing reads it yet: those weights are zero, which learning
// changes with the first step. With the same configuration it is a copy.
//
// The ownership head of either is of no account to this: without one in the small network
// it stays untrained, and without one here it is dropped. Both networks have to be for the
// same game or variants of it. On error, that of CheckGrowth, nothing has changed.
func (w *Weights) GrowFrom(small *Weights) error {
	if err := w.Config.CheckGrowth(small.Config); err != nil {
		return fmt.Errorf("net: grow: %w", err)
	}
	Embed(w.tensors, small.tensors)
	return nil
}

// Embed writes each small tensor into the one of the same name, if there is one, which has
// as many dimensions and no fewer rows or columns (shape [rows, columns, …]; what follows
// is equal): it takes the first rows and columns, the rest of these rows becomes zero, and
// the other rows stay.
func Embed(into, small []Tensor) {
	byName := make(map[string]Tensor, len(small))
	for _, t := range small {
		byName[t.Name] = t
	}
	for _, t := range into {
		if s, ok := byName[t.Name]; ok {
			row, smallRow := len(t.Data)/t.Shape[0], len(s.Data)/s.Shape[0]
			for i := range s.Shape[0] {
				clear(t.Data[i*row:][:row])
				copy(t.Data[i*row:], s.Data[i*smallRow:][:smallRow])
			}
		}
	}
}
