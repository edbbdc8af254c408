package net

import (
	"fmt"

	"tiro/internal/faults"
)

// CheckGrowth returns an error that names every field in which c is smaller than from, because
// the weights of a network cannot grow to a smaller size.
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
		f.Check(c.Hidden == 0, "hidden", c.Hidden, "0")
	} else {
		atLeast("hidden", c.Hidden, from.Hidden)
	}
	return f.Err()
}

// GrowFrom makes an untrained network, as NewWeights returns it, compute the same function as a
// trained one that has fewer channels or blocks, no pooling, or a narrower outcome head (Net2Net:
// Chen, Goodfellow and Shlens 2016, "Net2Net: accelerating learning via knowledge transfer"; with
// zeros where that paper copies channels). The small network's weights stay unchanged. The added
// units read existing units with random weights, but no unit reads them yet: those weights are
// zero until the first learning step changes them. With the same configuration the result is a
// copy.
//
// The ownership head is optional on both sides. If only w has one, it stays untrained; if only
// the small network has one, it is dropped. Both networks must be for the same game or variants
// of it. On error, which CheckGrowth returns, w is unchanged.
func (w *Weights) GrowFrom(small *Weights) error {
	if err := w.Config.CheckGrowth(small.Config); err != nil {
		return fmt.Errorf("net: grow: %w", err)
	}
	Embed(w.tensors, small.tensors)
	return nil
}

// Embed copies each small tensor into the tensor of the same name in into, if there is one. That
// tensor must have the same number of dimensions and at least as many rows and columns; the
// remaining dimensions are equal (shape [rows, columns, …]). The small tensor takes the first
// rows and columns. The rest of these rows becomes zero, and the other rows are unchanged.
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
