package net

import (
	"tiro/env"
	"tiro/net/kernel"
)

// PackedCopies is how many numbers about the kernels take for a weight: the weight
// itself, and the five of them that the tiling of a convolution makes of it.
const PackedCopies = 5

const floatBytes = 4

// ModelBytes returns about how much memory the network compiled for a game takes.
func (c Config) ModelBytes(spec env.Spec) int64 {
	return (PackedCopies + 1) * floatBytes * int64(c.Parameters(spec))
}

// EvaluatorBytes returns about how much memory an Evaluator of up to maxRows positions
// at once takes, without its model.
func (c Config) EvaluatorBytes(spec env.Spec, maxRows int) int64 {
	channels := kernel.Pad(c.Channels)
	cell := 2*channels + kernel.Pad(spec.Planes) + kernel.Pad(spec.PolicyPlanes+c.OutcomeChannels)
	plan := min(maxRows, planRows(channels, spec.Cells()))*spec.Cells()*cell + 2000*channels // tilings
	return floatBytes * int64(plan+maxRows*(spec.Inputs()+spec.Actions()+spec.Outcomes()))
}
