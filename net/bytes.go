package net

import (
	"tiro/env"
	"tiro/net/kernel"
)

// PackedCopies is the approximate number of floats per weight in the tiles of a convolution (see
// package kernel). The packed weight itself is not included.
const PackedCopies = 5

const floatBytes = 4

// ModelBytes estimates the memory of the network compiled for a game, in bytes.
func (c Config) ModelBytes(spec env.Spec) int64 {
	return (PackedCopies + 1) * floatBytes * int64(c.Parameters(spec))
}

// EvaluatorBytes estimates the memory of an Evaluator of maxRows positions, without its model, in
// bytes.
func (c Config) EvaluatorBytes(spec env.Spec, maxRows int) int64 {
	channels := kernel.Pad(c.Channels)
	cell := 2*channels + kernel.Pad(spec.Planes) + kernel.Pad(spec.PolicyPlanes+c.OutcomeChannels)
	plan := min(maxRows, planRows(channels, spec.Cells()))*spec.Cells()*cell + 2000*channels // for the tiles
	return floatBytes * int64(plan+maxRows*(spec.Inputs()+spec.Actions()+spec.Outcomes()))
}
