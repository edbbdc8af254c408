package net

import (
	"tiro/env"
	"tiro/net/kernel"
)

// numberBytes is the size of a number of a network.
const numberBytes = 4

// Parameters returns how many numbers the network has for a game.
func (c Config) Parameters(spec env.Spec) int {
	n := 0
	for _, t := range layout(spec, c) {
		n += size(t.Shape)
	}
	return n
}

// Layer is a convolution of the network; a fully connected layer is one on a
// board of one cell.
type Layer struct {
	Grid    *kernel.Grid
	In, Out int // channels
}

// Layers returns the convolutions of the network for a game, input first, that
// of the ownership head among them.
func (c Config) Layers(spec env.Spec) []Layer {
	var layers []Layer
	for _, t := range layout(spec, c) {
		switch len(t.Shape) {
		case 4:
			layers = append(layers, Layer{kernel.NewGrid(spec.Height, spec.Width, t.Shape[2]), t.Shape[1], t.Shape[0]})
		case 2:
			layers = append(layers, Layer{kernel.NewGrid(1, 1, 1), t.Shape[1], t.Shape[0]})
		}
	}
	return layers
}

// ModelBytes returns the memory of the network compiled for a game, in bytes.
func (c Config) ModelBytes(spec env.Spec) int64 {
	n := int64(0)
	for _, l := range c.Inference().Layers(spec) {
		n += kernel.WeightBytes(l.Grid, l.In, l.Out)
	}
	return n
}

// EvaluatorBytes returns the memory of an Evaluator of up to maxRows positions
// at once, in bytes, without its model.
func (c Config) EvaluatorBytes(spec env.Spec, maxRows int) int64 {
	channels, cells := kernel.Pad(c.Channels), spec.Cells()
	row := cells*kernel.Pad(spec.Planes) + 2*cells*channels + 2*channels + // input, trunk and branch, mean and bias
		cells*kernel.Pad(spec.PolicyPlanes+c.OutcomeChannels) +
		kernel.Pad(c.OutcomeChannels*cells) + kernel.Pad(c.Hidden) + kernel.Pad(spec.Outcomes())
	plan := int64(planRows(channels, cells, maxRows)) * int64(row)
	answers := int64(maxRows) * int64(spec.Inputs()+spec.Actions()+spec.Outcomes())
	board := kernel.NewGrid(spec.Height, spec.Width, 3)
	return numberBytes*(plan+answers) + kernel.WorkerBytes(board, max(c.Channels, spec.Planes))
}
