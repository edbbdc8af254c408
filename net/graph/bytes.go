package graph

import (
	"runtime"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
)

// numberBytes is the size of a number of a network.
const numberBytes = 4

// Bytes returns the memory of a Trainer for batches of that many rows, without
// the weights, in bytes: about as many activations and gradients as the layers
// of the network write.
func Bytes(spec env.Spec, n net.Config, c Config, batch int) int64 {
	shards := int64((batch + shardRows - 1) / shardRows)
	bytes := int64(0)
	numbers := (spec.Inputs() + spec.Actions() + spec.Outcomes()) * batch
	for i, l := range n.Layers(spec) {
		bytes += kernel.WeightBytes(l.Grid, l.In, l.Out) + kernel.WeightBytes(l.Grid, l.Out, l.In) + shards*kernel.GradientBytes(l.Grid, l.In, l.Out)
		in, out := field{l.In, l.Grid.Cells()}.size(batch), field{l.Out, l.Grid.Cells()}.size(batch)
		switch {
		case i == 0: // and the observations, laid out, and the gradient by the trunk
			numbers += in + 2*out
		case l.Grid.Size == 3:
			numbers += out
		case l.Grid.Cells() > 1: // a head, its logits and the gradients by them
			numbers += 3 * out
		default:
			numbers += 2*in + out
		}
	}
	moments := 1
	if c.Kind == "adam" {
		moments = 2
	}
	numbers += (1 + moments) * n.Parameters(spec) // with the gradient
	board := kernel.NewGrid(spec.Height, spec.Width, 3)
	worker := kernel.WorkerBytes(board, max(n.Channels, spec.Planes)) +
		numberBytes*int64(field{n.Channels, spec.Cells()}.size(shardRows)+spec.Actions())
	return bytes + numberBytes*int64(numbers) + min(int64(runtime.GOMAXPROCS(0)), shards)*worker
}
