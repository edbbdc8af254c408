// Package graph trains the networks of package net.
//
// # First use
//
//	trainer, err := graph.New(weights, graph.Default(), graph.Options{Backend: kernel.Best(), Rows: 256})
//	b := trainer.Batch()
//	// fill b.X, b.Policy, b.Outcome and b.Weight
//	loss, err := trainer.Step(1e-3)
//
// Step computes the loss and its gradient by every tensor, clips the gradient by its
// global norm and lets the optimizer move the weights that New was given. Measure
// computes the loss only.
//
// # Loss
//
//	loss = Σ_r w_r (H(policy target_r, network_r) + outcome_weight·H(outcome target_r, network_r)) / Σ_r w_r
//
// with H the cross-entropy against the softmax of the head's logits. The policy's
// softmax runs over the legal actions, as it does in play; Batch says how to mark the
// others. The ownership head (net.Config.Ownership) adds the mean cross-entropy of the
// cells' owners and Huber's loss of the score, each with a weight of its own. Weight
// decay is not part of the loss: the optimizer shrinks the weights itself.
//
// # What Gorgonia does, and what it does not
//
// Gorgonia holds the graph of operators, orders it forward and backward by the chain
// rule, and its tape machine calls the operators in that order. What an operator
// computes is ours: the layers (the stem, each residual block, the heads), their
// gradients, the losses with their gradient by the logits, from which the backward
// pass starts, and the optimizer. To Gorgonia an operator is a name with a fixed place
// for its result. There are three reasons:
//
//   - Gorgonia's own convolution reaches about a twentieth of this CPU's speed.
//   - In an operator as large as a block, activations are read while they are in the
//     cache, and rectifiers, residuals and pooling need no pass of their own.
//   - Gorgonia's solvers do not give their state away, so that a run could not resume.
//
// All memory is laid out before the graph is built.
//
// A batch is cut into shards of a fixed number of rows. Many threads share a shard by
// windows of its rows. The operators only note their passes; then each window goes
// through all layers, forward and backward, without waiting for others. The gradients by the
// weights are computed shard by shard, and added up in the order of the shards, so that
// their bits do not depend on the windows. A step waits for all threads six times: after
// packing the weights, after the windows, after the shards' gradients, after their sums,
// after the norm and after the optimizer.
//
// # Duties of the caller
//
// A Trainer belongs to one goroutine, and while it steps, nobody may read the weights.
// The same weights, optimizer state and batches give the same bits again, with the same
// backend, on any processor and however many cores there are.
package graph
