package kernel

import (
	"fmt"
)

// Weights are the weights of a convolution in the order in which the kernels read them. Only Pack
// and PackTransposed change them.
type Weights struct {
	Taps, In, Out int

	impl   *implementation
	tiling *tiling   // the tiling to compute the convolution with, or nil for the definition
	data   []float32 // [Pad(Out)/Lanes, Taps or products of the tiling, Pad(In), Lanes], zero-padded
	taps   []float32 // [Pad(Out)/Lanes, Taps, Pad(In), Lanes]; the same slice as data without a tiling
	bias   []float32 // [Pad(Out)]
	patch  *patch    // for transforming filters
}

// NewWeights returns zero weights for a convolution on a grid, and selects the fastest way to
// compute it. Several convolutions of the same input can share one Weights: see Pack.
func (b Backend) NewWeights(g *Grid, in, out int) *Weights {
	return b.newWeights(g.Size*g.Size, in, out, bestTiling(g, in, out))
}

func (b Backend) newWeights(taps, in, out int, t *tiling) *Weights {
	w := &Weights{Taps: taps, In: in, Out: out, impl: b.get(), tiling: t, bias: make([]float32, Pad(out))}
	w.taps = make([]float32, taps*Pad(in)*Pad(out))
	w.data = w.taps
	if t != nil {
		w.data = make([]float32, t.products()*Pad(in)*Pad(out))
		w.patch = newPatch()
	}
	return w
}

func newPatch() *patch { return &patch{scratch: make([]float32, largestTile*Lanes)} }

// depth returns the length of the sums over input channels: In, rounded up to a multiple of 4.
func (p *Weights) depth() int { return (p.In + 3) &^ 3 }

// Pack sets the output channels starting with channel first to the weights w [channels, In, Taps]
// and the bias [channels], or to a bias of 0 if it is nil.
func (p *Weights) Pack(first int, w, bias []float32) {
	channels := len(w) / (p.In * p.Taps)
	if len(w)%(p.In*p.Taps) != 0 || first+channels > p.Out || bias != nil && len(bias) != channels {
		panic(fmt.Sprintf("kernel: %d weights and %d biases do not fit channels %d.. of %d with %d inputs and %d taps",
			len(w), len(bias), first, p.Out, p.In, p.Taps))
	}
	row := Pad(p.In) * Lanes // numbers per tap in a panel
	for c := range channels {
		to := p.taps[(first+c)/Lanes*p.Taps*row+(first+c)%Lanes:]
		from := w[c*p.In*p.Taps:][:p.In*p.Taps]
		for in := range p.In {
			for tap, v := range from[in*p.Taps:][:p.Taps] {
				to[tap*row+in*Lanes] = v
			}
		}
	}
	copy(p.bias[first:first+channels], bias)
	if bias == nil {
		clear(p.bias[first : first+channels])
	}
	p.tile(first, channels)
}

// PackTransposed sets the weights for the gradient with respect to the input of a convolution
// with weights w [In, Out, Taps]: the taps are reversed, and input and output channels are
// exchanged. This gradient is the convolution of the gradient with respect to the output with
// these weights, on the same grid.
func (p *Weights) PackTransposed(w []float32) {
	if len(w) != p.In*p.Out*p.Taps {
		panic(fmt.Sprintf("kernel: %d weights instead of %d for %d channels by %d inputs by %d taps", len(w), p.In*p.Out*p.Taps, p.In, p.Out, p.Taps))
	}
	row := Pad(p.In) * Lanes
	for c := range p.In {
		for in := range p.Out {
			to := p.taps[in/Lanes*p.Taps*row+c*Lanes+in%Lanes:]
			for tap, v := range w[(c*p.Out+in)*p.Taps:][:p.Taps] {
				to[(p.Taps-1-tap)*row] = v
			}
		}
	}
	p.tile(0, p.Out)
}

// tile transforms the filters of output channels first to first+channels to the tiling's points.
func (p *Weights) tile(first, channels int) {
	if p.tiling == nil {
		return
	}
	row := Pad(p.In) * Lanes
	p.patch.count, p.patch.step = row, row
	for panel := first / Lanes; panel*Lanes < first+channels; panel++ {
		for tap := range p.Taps {
			p.patch.cells[tap] = p.taps[(panel*p.Taps+tap)*row:][:row]
		}
		p.patch.points = p.data[panel*p.tiling.products()*row:]
		p.impl.transform(filter, p.patch, p.tiling)
	}
}
