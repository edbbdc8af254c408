package net

import (
	"fmt"
	"slices"

	"tiro/env"
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
//
// The grid of w can have another size. Only the first dense layer of the outcome head depends on
// it; its weights are interpolated between the cells. w then computes another function.
func (w *Weights) GrowFrom(small *Weights) error {
	if err := w.Config.CheckGrowth(small.Config); err != nil {
		return fmt.Errorf("net: grow: %w", err)
	}
	Embed(w.tensors, small.resized(w.Spec))
	return nil
}

// resized returns the tensors of the network for a game whose grid may have another size.
func (w *Weights) resized(spec env.Spec) []Tensor {
	ts := w.Tensors()
	if spec.Height == w.Spec.Height && spec.Width == w.Spec.Width {
		return ts
	}
	name := "outcome.out.weight"
	if w.Config.Hidden > 0 {
		name = "outcome.hidden.weight"
	}
	i := slices.IndexFunc(ts, func(t Tensor) bool { return t.Name == name })
	var data []float32
	for grid := range slices.Chunk(ts[i].Data, w.Spec.Cells()) {
		data = append(data, resize(grid, w.Spec.Height, w.Spec.Width, spec.Height, spec.Width)...)
	}
	ts[i].Shape, ts[i].Data = []int{ts[i].Shape[0], w.Config.OutcomeChannels * spec.Cells()}, data
	return ts
}

// resize interpolates a grid bilinearly, corners onto corners.
func resize(from []float32, height, width, newHeight, newWidth int) []float32 {
	at := func(r, c int) float64 { return float64(from[min(r, height-1)*width+min(c, width-1)]) }
	to := make([]float32, 0, newHeight*newWidth)
	for row := range newHeight {
		r, down := place(row, newHeight, height)
		for column := range newWidth {
			c, right := place(column, newWidth, width)
			top := mix(at(r, c), at(r, c+1), right)
			bottom := mix(at(r+1, c), at(r+1, c+1), right)
			to = append(to, float32(mix(top, bottom, down)))
		}
	}
	return to
}

// place returns where cell i of n cells in a row lies among m cells: between cell j and cell j+1,
// at the given fraction of the way.
func place(i, n, m int) (j int, fraction float64) {
	if n == 1 {
		return 0, 0
	}
	j, rest := i*(m-1)/(n-1), i*(m-1)%(n-1)
	return j, float64(rest) / float64(n-1)
}

func mix(a, b, fraction float64) float64 { return float64((1-fraction)*a) + float64(fraction*b) }

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
