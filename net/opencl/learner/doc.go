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
// A step has about ten commands for each residual block, in one queue. A convolution is computed by
// its definition in one command with everything that follows it: bias, residual, ReLU, and the mask
// of a ReLU in the backward pass. The gradients of all weights are computed in another command at
// the end, by slices of the batch that are then added in order.
//
// The order of all sums depends on the network and the batch alone. The same device with the same
// driver computes the same bits, in particular after it has continued from a checkpoint.
package learner
