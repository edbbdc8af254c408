// Package graph trains the networks of package net.
//
// # First use
//
//	trainer, err := graph.New(weights, graph.Default(), graph.Options{Backend: kernel.Best(), Rows: 256})
//	b := trainer.Batch()
//	// fill b.X, b.Policy, b.Outcome and b.Weight
//	loss, err := trainer.Step(1e-3)
//
// Step computes the loss and its gradient with respect to every tensor, clips the gradient by its
// global norm and lets the optimizer update the weights that were passed to New. Measure computes
// the loss only.
//
// # Loss
//
//	loss = Σ_r w_r (H(policy target_r, network_r) + outcome_weight·H(outcome target_r, network_r)) / Σ_r w_r
//
// where H is the cross-entropy with the softmax of the head's logits. The policy's softmax is
// over the legal actions, as in play; Batch describes how illegal actions are marked. The
// ownership head (net.Config.Ownership) adds the mean cross-entropy of the cells' owners and the
// Huber loss of the score, each with its own weight. Weight decay is not part of the loss: the
// optimizer applies it to the weights.
//
// # The role of Gorgonia
//
// Gorgonia holds the graph of operators and orders it forward and, with the chain rule, backward.
// Its tape machine calls the operators in that order. This package implements the operators: the
// layers (the stem, each residual block, the heads), their gradients, the losses with their
// gradient with respect to the logits, from which the backward pass starts, and the optimizer.
// For Gorgonia, an operator is a name and a result at a fixed place in memory. There are three
// reasons:
//
//   - Gorgonia's own convolution reaches about a twentieth of this CPU's speed.
//   - In an operator as large as a block, activations are read while they are in the cache, and
//     ReLUs, residuals and pooling need no separate pass.
//   - Gorgonia's solvers do not expose their state, so that a run could not resume.
//
// All memory is allocated before the graph is built.
//
// A batch is divided into shards of a fixed number of rows. If there are many threads, a shard is
// divided further into windows of its rows. The operators only register their passes; then each
// window passes through all layers, forward and backward, without waiting for others. The
// gradients of the weights are computed shard by shard and added in the order of the shards, so
// that their bits do not depend on the windows. A step waits for all threads six times: after
// packing the weights, after the windows, after the shards' gradients, after their sums, after
// the norm and after the optimizer.
//
// # Duties of the caller
//
// A Trainer is for one goroutine. While it steps, the weights must not be read. The same weights,
// optimizer state and batches produce the same bits with the same backend, on any processor and
// with any number of cores.
package graph
