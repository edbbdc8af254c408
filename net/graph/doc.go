// Package graph trains the networks of package net, with Gorgonia for the graph,
// its differentiation and the machine that runs it.
//
// # First use
//
//	trainer, err := graph.New(kernel.Best(), weights, graph.Default(), 256)
//	b := trainer.Batch()
//	// fill b.X, b.Policy, b.Outcome and b.Weight
//	loss, err := trainer.Step(1e-3)
//
// Step computes the loss, its gradient by every tensor, clips it by its global
// norm and lets the optimizer move the weights, which are the ones that New was
// given. Measure computes the loss only.
//
// # Loss
//
//	loss = Σ_r w_r (H(policy target_r, network_r) + outcome_weight·H(outcome target_r, network_r)) / Σ_r w_r
//
// with H the cross-entropy against the softmax of the head's logits. The
// policy's softmax runs over the legal actions, as it does in play; Batch says
// how to mark the others. The ownership head (net.Config.Ownership) adds, with a
// weight each, the mean cross-entropy of the cells' owners and Huber's loss of the
// scores. Weight decay is no part of the loss: the optimizers shrink the weights
// themselves.
//
// # What is Gorgonia's and what is ours
//
// Gorgonia holds the graph, differentiates it and runs it. The operators are
// ours: the stem, each residual block, the heads and the loss, one forward and
// one backward, on the kernels of net/kernel. So a block's activations are read
// while they are in the cache, and rectifiers, residuals and pooling cost no
// pass of their own. The optimizers are ours because Gorgonia's cannot save their
// state. All memory is laid out when the graph is built.
//
// A batch is cut into shards of a fixed number of rows, which all cores
// compute; sums over the batch are made shard by shard, in order. A step waits
// for all cores three times a layer: after its forward pass, after its backward
// pass, and after the shards' gradients are added up.
//
// # Duties of the caller
//
// A Trainer belongs to one goroutine, and while it steps, nobody may read the
// weights. The same weights, optimizer state and batches give the same bits again,
// on the same instruction set, however many cores there are.
package graph
