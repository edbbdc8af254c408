// Package learner trains networks on an OpenCL device, as package graph does on the CPU: with the
// same losses and the same optimizer, on the same batches, to the same numbers but for rounding.
//
//	trainer, err := learner.New(ctx, weights, graph.Default(), learner.Options{Rows: 256})
//	defer trainer.Close()
//	// fill trainer.Batch()
//	loss, err := trainer.Step(1e-3, fillTheNextBatch)
//	err = trainer.Sync() // weights, averages and the optimizer's state
//
// Weights, activations, moments and averages stay on the device. A step sends a batch and receives
// its losses. While it runs, the caller fills the next batch, which is sent at once.
//
// A step has about 14 commands for each residual block and 30 others, in one queue and without
// waiting. Convolutions of 3x3, and their gradients, are computed in tiles as on the CPU (package
// kernel): a command transforms tiles to points, another one multiplies each point by the weights,
// and a third one transforms the sums back and applies everything that follows: bias, residual, ReLU,
// and the mask of a ReLU in the backward pass. The gradients of the weights need no other pass of the
// network, so that a few commands at the end compute them for all layers. Gradients of other layers
// are computed in slices of the batch, which are then added in order.
//
// The order of all sums depends on the network and the size of the batch alone. The same device with
// the same driver computes the same bits, also after a checkpoint. A new Trainer first compares the
// gradients of a small network with the CPU's.
package learner
